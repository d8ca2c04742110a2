# A peer in a process of its own, answering the requests of protocol.py on standard input.
# Usage: worker.py ADAPTER MODEL EXPORTS THREADS PRECISION [OPTION...]
import dataclasses
import importlib
import os
import sys
import time

import numpy as np

import protocol


@dataclasses.dataclass
class Setup:
    """What a peer is opened with."""

    model: str  # directory
    exports: str  # directory that exports.py filled
    threads: int
    precision: str
    options: list


class Worker:
    """The case that is ready to run, and its last result."""

    def __init__(self, adapter, setup):
        self.adapter = adapter
        self.setup = setup
        self.embedder = None
        self.case = None
        self.result = None

    def embed(self, file, batch):
        if self.embedder is None:
            self.embedder = self.adapter.Embedder(self.setup)
        with open(file, encoding="utf-8") as lines:
            texts = lines.read().splitlines()
        self.case = lambda: self.embedder.embed(texts, int(batch))

    def layer(self, folder, *shape):
        batch, tokens, dim, heads = map(int, shape)

        def read(name, *sizes):
            return np.fromfile(os.path.join(folder, name), dtype=np.float32).reshape(sizes)

        weights = {"qkv": read("qkv", 3 * dim, dim), "out": read("out", dim, dim), "bias": read("bias", dim)}
        self.case = self.adapter.layer(self.setup, weights, heads, read("x", batch, tokens, dim))

    def run(self, passes):
        seconds = []
        for _ in range(int(passes)):
            start = time.perf_counter()
            self.result = self.case()
            seconds.append(time.perf_counter() - start)
        return [f"{second:.9f}" for second in seconds]

    def save(self, file):
        np.ascontiguousarray(self.result, dtype=np.float32).tofile(file)

    def answer(self, line):
        name, *arguments = protocol.fields(line)
        if name not in ("embed", "layer", "run", "save"):
            raise ValueError(f"unknown request {name}")
        return getattr(self, name)(*arguments) or []


def main():
    # Libraries print; only replies may reach the pipe.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    adapter, model, exports, threads, precision, *options = sys.argv[1:]
    setup = Setup(model, exports, int(threads), precision, options)
    worker = Worker(importlib.import_module(f"adapters.{adapter}"), setup)
    for line in sys.stdin:
        try:
            answer = protocol.request("ok", *worker.answer(line))
        except Exception as error:  # whatever a library throws belongs into the report
            answer = protocol.request("error", " ".join(f"{type(error).__name__}: {error}".split()))
        replies.write(answer)
        replies.flush()


if __name__ == "__main__":
    main()
