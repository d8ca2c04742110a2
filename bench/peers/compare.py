# Runs Headway and its peers in turn on the same texts and layers, and writes what came out: results.json, report.md, plots.
# Usage: run.sh, which prepares everything, calls this; README.md says more.
import argparse
import dataclasses
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import contenders
import plots
import report
import workloads
from sitting import Sitting, take_turns

MODEL = workloads.ROOT / "models" / "all-MiniLM-L6-v2"
PACKAGES = ("torch", "transformers", "sentence-transformers", "tokenizers", "onnxruntime", "openvino", "ctranslate2")
MOST_SCORES = 1 << 30  # bytes of scores; beyond, the seed's module, which holds them all at once, is left out


@dataclasses.dataclass(frozen=True)
class Effort:
    """How much is measured."""

    rounds: int
    seconds: float  # of one contender in one round
    texts: int  # of the mix
    mix_rounds: int
    starts: int  # new processes
    single_seconds: float
    every_shape: int  # each so many-th of bench/shapes
    batches: tuple
    lengths: tuple
    sequence: tuple  # T, for cost against T


QUICK = Effort(3, 0.05, 200, 3, 1, 0.2, 4, (1, 32), (16, 128), (64, 256, 1024, 4096))
FULL = Effort(5, 0.3, 2000, 3, 7, 1, 1, (1, 4, 8, 32), (16, 64, 128, 256),
              (16, 32, 64, 128, 256, 512, 1024, 2048, 4096))


class Comparison:
    def __init__(self, sitting, texts, effort):
        self.sitting = sitting
        self.texts = texts
        self.effort = effort
        self.tuning = texts.write("tuning", texts.tuning(texts.sample(effort.texts)))
        self.precisions = ("f32",) if sitting.avx2 else ("f32", "bf16", "int8")

    def embed(self, precision, name, texts, **how):
        file = self.texts.write(name, texts)
        ready, cosines = self.sitting.embed(precision, file, len(texts), self.tuning)
        times = take_turns(ready, **{"rounds": self.effort.rounds, "seconds": self.effort.seconds} | how)
        return {"texts": len(texts), "times": times, "cosine": cosines}

    def mix(self):
        results = {}
        for precision in self.precisions:
            results[precision] = self.embed(precision, "mix", self.texts.sample(self.effort.texts),
                                            rounds=self.effort.mix_rounds)
            results[precision]["batches"] = {name: self.sitting.batches[name, precision] for name in results[precision]["times"]}
        return results

    def equal(self):
        return self.embed("f32", "equal-32-128", self.texts.equal(32, 128))

    def single(self):
        return {str(tokens): self.embed("f32", f"single-{tokens}", [self.texts.of_length(tokens)],
                                        seconds=self.effort.single_seconds, keep_all=True) for tokens in (7, 120)}

    def grid(self):
        return [{"batch": batch, "tokens": tokens} |
                self.embed("f32", f"equal-{batch}-{tokens}", self.texts.equal(batch, tokens))
                for tokens in self.effort.lengths for batch in self.effort.batches]

    def layer(self, shape):
        folder = self.sitting.scratch / "layer"
        workloads.write_layer(folder, shape)
        who = [contender for contender in contenders.layer_runners(self.sitting.quick)
               if contender.name != contenders.SEED or shape.score_bytes() <= MOST_SCORES]
        ready, replies = self.sitting.layer(folder, shape, who)
        return {"shape": str(shape), "tokens": shape.tokens, "planned": int(replies[contenders.HEADWAY][0]),
                "times": take_turns(ready, self.effort.rounds, self.effort.seconds)}

    def layers(self):
        return [self.layer(shape) for shape in list(workloads.shapes())[:: self.effort.every_shape]]

    def sequence(self):
        return [self.layer(workloads.Shape("minilm", 1, tokens, 384, 12)) for tokens in self.effort.sequence]

    def starts(self):
        """From nothing to the first vector; then the mix, and the most memory so far."""
        one = self.texts.write("single-7", [self.texts.of_length(7)])
        mix = self.texts.write("mix", self.texts.sample(self.effort.texts))
        batches = {contender: self.sitting.find_batch(contender, "f32", self.tuning)
                   for contender in contenders.embedders("f32", self.sitting.quick)}
        self.sitting.close()
        results = {contender.name: {"rounds": []} for contender in batches}
        for turn in range(self.effort.starts + 1):
            for contender, batch in batches.items():
                begin = time.perf_counter()
                worker = self.sitting.start(contender, "f32")
                worker.ask("embed", one, 1)
                worker.run(1)
                if turn > 0:  # the first brings the files into the page cache
                    results[contender.name]["rounds"].append(time.perf_counter() - begin)
                if turn == self.effort.starts:
                    worker.ask("embed", mix, batch)
                    worker.run(1)
                    results[contender.name]["peak"] = worker.peak_memory()
                worker.close()
        return results

    def threads(self):
        """Headway on the mix with one thread and with two; None on one core."""
        if len(os.sched_getaffinity(0)) < 2:
            return None
        mix = self.texts.write("mix", self.texts.sample(self.effort.texts))
        ready = {}
        for threads in (1, 2):
            worker = ready[str(threads)] = self.sitting.worker(contenders.named(contenders.HEADWAY), "f32", threads)
            worker.ask("embed", mix, 1)
            worker.run(1)
        return take_turns(ready, self.effort.rounds, self.effort.seconds)

    def limits(self):
        """What Google Benchmark says of the cases of bench_limits."""
        self.sitting.close()
        file = self.sitting.scratch / "limits.json"
        environment = os.environ | {"OMP_NUM_THREADS": str(self.sitting.threads)}
        if self.sitting.avx2:
            environment |= contenders.named(contenders.HEADWAY).avx2
        subprocess.run([self.sitting.command.with_name("bench_limits"), f"--benchmark_out={file}", "--benchmark_out_format=json"],
                       stdout=self.sitting.log, stderr=self.sitting.log, check=True, env=environment)
        return json.loads(file.read_text())["benchmarks"]


SECTIONS = ("mix", "equal", "single", "grid", "layers", "sequence", "threads", "starts", "limits")


def about(arguments):
    cpu = dict(line.split(":", 1) for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if ":" in line)
    cpu = {key.strip(): value.strip() for key, value in cpu.items()}
    flags = set(cpu["flags"].split())
    revision = subprocess.run(["git", "-C", workloads.ROOT, "describe", "--always", "--dirty"],
                              capture_output=True, text=True).stdout.strip()
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "cpu": f"{cpu['model name']}, family {cpu['cpu family']}, model {cpu['model']}",
        "instructions": [flag for flag in ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile") if flag in flags],
        "system": f"Linux {platform.release()}, Python {platform.python_version()}",
        "threads": arguments.threads,
        "avx2": arguments.avx2,
        "quick": arguments.quick,
        "versions": {contenders.HEADWAY: revision} | {name: importlib.metadata.version(name) for name in PACKAGES},
    }


def main():
    parser = argparse.ArgumentParser(description="Compare Headway with its peers on this machine.")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder of the built binaries")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for what is kept from run to run")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="folder for what comes out")
    parser.add_argument("--quick", action="store_true", help="fewer cases and rounds, without torch.compile")
    parser.add_argument("--avx2", action="store_true", help="hold everybody that can be held to AVX2; f32 only")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", type=lambda names: names.split(","), default=SECTIONS, help=", ".join(SECTIONS))
    arguments = parser.parse_args()
    if unknown := set(arguments.only) - set(SECTIONS):
        parser.error(f"--only knows {', '.join(SECTIONS)}, not {', '.join(sorted(unknown))}")

    work, output = arguments.work.resolve(), arguments.output
    output.mkdir(parents=True, exist_ok=True)
    results = {"about": about(arguments), "failed": []}
    with open(output / "workers.log", "w") as log, tempfile.TemporaryDirectory(dir=work) as folder:
        scratch = pathlib.Path(folder)
        sitting = Sitting(command=arguments.build / "bench_headway_worker", model=MODEL, work=work, scratch=scratch,
                          threads=arguments.threads, avx2=arguments.avx2, quick=arguments.quick, log=log)
        effort = QUICK if arguments.quick else FULL
        comparison = Comparison(sitting, workloads.Texts(MODEL, scratch), effort)
        try:
            for section in SECTIONS:
                if section in arguments.only:
                    begin = time.monotonic()
                    results[section] = getattr(comparison, section)()
                    results["failed"] = sitting.failed
                    (output / "results.json").write_text(json.dumps(results, indent=1) + "\n")
                    print(f"{section}: {time.monotonic() - begin:.0f} s", file=sys.stderr)
        finally:
            sitting.close()
    (output / "report.md").write_text(report.markdown(results))
    plots.draw(results, output)


if __name__ == "__main__":
    main()
