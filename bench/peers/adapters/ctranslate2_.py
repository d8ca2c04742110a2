# CTranslate2, which runs whole encoders only, no attention layer alone. Options: intra (all threads share a batch) |
# workers (a batch a thread).
import concurrent.futures
import os

import ctranslate2
import numpy as np

from adapters import texts

_TYPES = {"f32": "float32", "int8": "int8"}


class Embedder:
    def __init__(self, setup):
        workers = setup.threads if "workers" in setup.options else 1
        self.encoder = ctranslate2.Encoder(
            os.path.join(setup.exports, "ctranslate2"),
            device="cpu",
            compute_type=_TYPES[setup.precision],
            inter_threads=workers,
            intra_threads=setup.threads // workers,
        )
        self.pool = concurrent.futures.ThreadPoolExecutor(workers)
        self.batches = texts.Batches(setup.model)

    def embed(self, lines, size):
        def run(work):
            batch, ids = work
            hidden = np.asarray(self.encoder.forward_batch(ids).last_hidden_state, dtype=np.float32)
            return batch, texts.mean_pooled(hidden, [len(text) for text in ids])

        work = list(self.batches(lines, size))
        parts = list((self.pool.map if len(work) > 1 else map)(run, work))
        vectors = np.empty((len(lines), parts[0][1].shape[1]), dtype=np.float32)
        for batch, part in parts:
            vectors[batch] = part
        return vectors
