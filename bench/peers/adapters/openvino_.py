# OpenVINO. Options: LATENCY (all threads share a batch) | THROUGHPUT (asynchronous requests, a batch a stream).
import os

import numpy as np
import openvino

import exports
from adapters import texts


def _compiled(setup, model):
    return openvino.Core().compile_model(
        model,
        "CPU",
        {
            "PERFORMANCE_HINT": setup.options[0],
            "INFERENCE_NUM_THREADS": setup.threads,
            "INFERENCE_PRECISION_HINT": setup.precision,
        },
    )


def _queue(compiled):
    return openvino.AsyncInferQueue(compiled, compiled.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS"))


def layer(setup, weights, heads, x):
    model = exports.openvino_layer(weights, heads)
    # As many requests as there are streams, each with its share of the sequences.
    parts = min(setup.threads if setup.options[0] == "THROUGHPUT" else 1, len(x))
    shares = np.array_split(x, parts)
    if all(share.shape == shares[0].shape for share in shares):
        model.reshape(shares[0].shape)  # known shapes let it choose better
    compiled = _compiled(setup, model)
    if parts == 1:
        request = compiled.create_infer_request()
        return lambda: request.infer([x])[0]
    queue = _queue(compiled)
    results = [None] * parts
    queue.set_callback(lambda request, part: results.__setitem__(part, request.get_output_tensor(0).data.copy()))

    def run():
        for part, share in enumerate(shares):
            queue.start_async([share], part)
        queue.wait_all()
        return np.concatenate(results)

    return run


class Embedder:
    def __init__(self, setup):
        self.compiled = _compiled(setup, os.path.join(setup.exports, "openvino.xml"))
        self.queue = _queue(self.compiled)
        self.batches = texts.Batches(setup.model)

    def embed(self, lines, size):
        vectors = np.empty((len(lines), self.compiled.output(0).partial_shape[1].get_length()), dtype=np.float32)

        def done(request, batch):
            vectors[batch] = request.get_output_tensor(0).data

        self.queue.set_callback(done)
        for batch, ids in self.batches(lines, size):
            table, mask = texts.padded(ids)
            self.queue.start_async({"input_ids": table, "attention_mask": mask}, batch)
        self.queue.wait_all()
        return vectors
