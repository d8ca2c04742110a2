#!/usr/bin/env python3
# Runs two builds of the command headway in turn and prints how their times compare.
# Usage: perf_gate.py BASE_COMMAND NEW_COMMAND [--rounds N] [--threads N] [--precision P] [--filter TEXT]
#
# Machines are noisy and drift: each round runs both builds on every case, one right after the other and the first of them in turn,
# and a ratio is taken within a round only. A ratio above 1 means that the new build is faster.
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "models" / "all-MiniLM-L6-v2"
TEXTS = ROOT / "bench" / "data" / "texts-2000.txt"


def shape_cases():
    """One case for each line of bench/shapes/*.txt."""
    for file in sorted((ROOT / "bench" / "shapes").glob("*.txt")):
        for line in file.read_text().splitlines():
            numbers = line.split("#")[0].split()
            if numbers:
                batch, tokens, dim, heads = numbers
                yield f"multihead {file.stem} {batch}x{tokens}x{dim} h{heads}", [
                    "multihead", "--batch", batch, "--tokens", tokens, "--dim", dim, "--heads", heads]


def embed_cases(folder):
    """The first texts of the mix, and one short text."""
    lines = TEXTS.read_text().splitlines(keepends=True)
    for name, texts in [("embed 200 texts", lines[:200]), ("embed one text", ["how are you doing today\n"])]:
        file = pathlib.Path(folder) / f"{len(texts)}.txt"
        file.write_text("".join(texts))
        yield name, ["embed", "--model", str(MODEL), "--input", str(file)]


def seconds(command, arguments, options):
    """The fastest pass of one process."""
    run = [command, "bench", *arguments, "--json", "--seconds", "0.3", *options]
    done = subprocess.run(run, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"perf_gate: {' '.join(run)}: {done.stderr.strip()}")
    return json.loads(done.stdout)["min_s"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("base")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads")
    parser.add_argument("--precision")
    parser.add_argument("--filter", default="", help="only cases whose name contains this")
    args = parser.parse_args()
    options = ["--threads", args.threads] if args.threads else []
    options += ["--precision", args.precision] if args.precision else []

    with tempfile.TemporaryDirectory() as folder:
        cases = [case for case in [*embed_cases(folder), *shape_cases()] if args.filter in case[0]]
        if not cases:
            sys.exit(f"perf_gate: no case contains {args.filter!r}")
        if any(arguments[0] == "embed" for _, arguments in cases) and not MODEL.exists():
            sys.exit(f"perf_gate: {MODEL} is missing: run scripts/get_model.sh")
        ratios = {name: [] for name, _ in cases}
        best = {name: float("inf") for name, _ in cases}
        for turn in range(args.rounds):
            for name, arguments in cases:
                order = [args.base, args.new] if turn % 2 == 0 else [args.new, args.base]
                times = {command: seconds(command, arguments, options) for command in order}
                ratios[name].append(times[args.base] / times[args.new])
                best[name] = min(best[name], times[args.new])
            print(f"round {turn + 1} of {args.rounds}", file=sys.stderr)

    print(f"| case | new, best | base / new, median | lowest | highest |\n|---|---|---|---|---|")
    for name, values in ratios.items():
        print(f"| {name} | {best[name] * 1e3:.3f} ms | {statistics.median(values):.3f} | {min(values):.3f} | {max(values):.3f} |")
    mean = statistics.geometric_mean([statistics.median(values) for values in ratios.values()])
    print(f"| geometric mean | | {mean:.3f} | | |")


if __name__ == "__main__":
    main()
