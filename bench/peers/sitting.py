# One sitting of measurements: the workers that are open, that each computes the right thing, and turns.
import contextlib
import os
import statistics
import sys

import numpy as np

import contenders
from process import Process
from protocol import Refused

HERE = os.path.dirname(os.path.abspath(__file__))
BATCHES = (4, 8, 16, 32)
# The lowest cosine to sentence-transformers that any text may have: below it a contender computes something else.
COSINE = {"f32": 0.9999, "bf16": 0.999, "int8": 0.9}
LAYER_ERROR = 1e-3  # largest difference from the seed's result, over its largest number


class Wrong(Exception):
    """A contender's numbers are not those of the reference."""


class Sitting:
    def __init__(self, *, command, model, work, scratch, threads, avx2, quick, log):
        """`command` is Headway's worker; `work` has what outlives this, `scratch` what does not."""
        self.command = command
        self.model = model
        self.work = work
        self.scratch = scratch
        self.threads = threads
        self.avx2 = avx2
        self.quick = quick
        self.log = log
        self.open_workers = {}
        self.batches = {}  # (name, precision) -> texts at a time
        self.references = {}  # file of texts -> vectors
        self.failed = []

    def start(self, contender, precision, threads=None):
        """A new worker, which the caller closes."""
        threads = threads or self.threads
        if contender.adapter:
            command = [sys.executable, os.path.join(HERE, "worker.py"), contender.adapter, str(self.model),
                       str(self.work / "exports"), str(threads), precision, *contender.options]
        else:
            command = [str(self.command), str(self.model), str(threads), precision]
        environment = {"TORCHINDUCTOR_CACHE_DIR": str(self.work / "inductor")}
        if self.avx2:
            environment |= contender.avx2
        return Process(command, environment, threads, self.log)

    def worker(self, contender, precision="f32", threads=None):
        """Stays open until close()."""
        key = contender.name, precision, threads
        if key not in self.open_workers:
            self.open_workers[key] = self.start(contender, precision, threads)
        return self.open_workers[key]

    def close(self):
        for worker in self.open_workers.values():
            worker.close()
        self.open_workers.clear()

    @contextlib.contextmanager
    def may_fail(self, contender, what):
        """A contender that cannot do a case is reported, not measured."""
        try:
            yield
        except (Refused, Wrong) as error:
            self.failed.append({"who": contender.name, "what": what, "why": str(error)})
            print(f"  {contender.name}: {what}: {error}", file=sys.stderr)

    def numbers(self, worker):
        file = self.scratch / "result"
        worker.ask("save", file)
        return np.fromfile(file, dtype=np.float32)

    def find_batch(self, contender, precision, file):
        """The number of texts at a time that is fastest for `file`; found once."""
        key = contender.name, precision
        if key not in self.batches:
            worker = self.worker(contender, precision)
            seconds = {}
            # Headway plans its groups itself.
            for batch in BATCHES if contender.adapter else BATCHES[:1]:
                worker.ask("embed", file, batch)
                seconds[batch] = min(worker.run(2))
            worker.settle()
            self.batches[key] = min(seconds, key=seconds.get)
            print(f"  {contender.name}, {precision}: {self.batches[key]} texts at a time", file=sys.stderr)
        return self.batches[key]

    def reference(self, file):
        if file not in self.references:
            worker = self.worker(contenders.named(contenders.REFERENCE))
            worker.ask("embed", file, 8)
            worker.run(1)
            worker.settle()
            self.references[file] = self.numbers(worker)
        return self.references[file]

    def embed(self, precision, file, texts, tuning):
        """Workers with the texts of `file` ready, and the lowest cosine of each: ({name: worker}, {name: cosine})."""
        ready, cosines = {}, {}
        expected = self.reference(file).reshape(texts, -1)
        for contender in contenders.embedders(precision, self.quick):
            with self.may_fail(contender, f"{precision}, {file.stem}"):
                batch = self.find_batch(contender, precision, tuning)
                worker = self.worker(contender, precision)
                worker.ask("embed", file, batch)
                worker.run(1)
                worker.settle()
                cosine = float((self.numbers(worker).reshape(texts, -1) * expected).sum(axis=1).min())
                if not cosine >= COSINE[precision]:
                    raise Wrong(f"lowest cosine to the reference {cosine:.5f}")
                ready[contender.name], cosines[contender.name] = worker, cosine
        return ready, cosines

    def layer(self, folder, shape, who):
        """Workers with the layer ready, and the replies to that: ({name: worker}, {name: fields})."""
        ready, replies = {}, {}
        expected = None
        for contender in who:
            with self.may_fail(contender, str(shape)):
                worker = self.worker(contender)
                reply = worker.ask("layer", folder, shape.batch, shape.tokens, shape.dim, shape.heads)
                worker.run(1)
                worker.settle()
                result = self.numbers(worker)
                if expected is None:
                    expected = result
                error = float(np.abs(result - expected).max() / np.abs(expected).max())
                if not error <= LAYER_ERROR:
                    raise Wrong(f"largest difference from {next(iter(ready))} {error:.2g} of its largest number")
                ready[contender.name], replies[contender.name] = worker, reply
        return ready, replies


def take_turns(ready, rounds, seconds, keep_all=False):
    """{name: {"rounds": median seconds of a pass}} of workers whose case has run once; with "all" passes if kept. Each
    round lets everybody run for about `seconds`, at least once, and starts with another one."""
    passes = {}
    for name, worker in ready.items():
        if worker.once < seconds:  # the first pass of a case made what it needs
            worker.run(2)
            worker.settle()
        passes[name] = max(1, min(1000, int(seconds / max(worker.once, 1e-6))))
    times = {name: {"rounds": []} | ({"all": []} if keep_all else {}) for name in ready}
    names = list(ready)
    for turn in range(rounds):
        first = turn % max(1, len(names))
        for name in names[first:] + names[:first]:
            measured = ready[name].run(passes[name])
            ready[name].settle()
            times[name]["rounds"].append(statistics.median(measured))
            if keep_all:
                times[name]["all"] += measured
    return times
