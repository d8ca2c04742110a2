# ONNX Runtime. Options: plain (as PyTorch exports it) | optimized (onnxruntime.transformers); workers: each thread runs
# batches of its own instead of sharing one.
import concurrent.futures
import os

import numpy as np
import onnxruntime

import exports
from adapters import texts


def _session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def layer(setup, weights, heads, x):
    make = exports.fused_layer if "optimized" in setup.options else exports.plain_layer
    session = _session(make(weights, heads), setup.threads)
    return lambda: session.run(None, {"x": x})[0]


class Embedder:
    def __init__(self, setup):
        kind = "optimized" if "optimized" in setup.options else "plain"
        file = os.path.join(setup.exports, f"{kind}-{setup.precision}.onnx")
        self.workers = setup.threads if "workers" in setup.options else 1
        self.session = _session(file, setup.threads // self.workers)
        self.pool = concurrent.futures.ThreadPoolExecutor(self.workers)
        self.batches = texts.Batches(setup.model)

    def embed(self, lines, size):
        vectors = np.empty((len(lines), self.session.get_outputs()[0].shape[1]), dtype=np.float32)

        def run(work):
            batch, ids = work
            table, mask = texts.padded(ids)
            vectors[batch] = self.session.run(None, {"input_ids": table, "attention_mask": mask})[0]

        work = list(self.batches(lines, size))
        list((self.pool.map if self.workers > 1 and len(work) > 1 else map)(run, work))
        return vectors
