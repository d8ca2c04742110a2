#!/usr/bin/env python3
"""Prints how much faster Headway's tokenizers are than the Python package `tokenizers`, each on one thread.

    python3 -m pip install tokenizers==0.23.3
    python3 bench/text/compare.py build/release/bin/bench_text [TOKENIZER_JSON...]

Over the texts of bench/data; by default the kinds of tests/golden/tokenizer/models and all-MiniLM-L6-v2. Both sides give
ids alone: `encode_batch_fast`, whose encodings have no offsets, is the fastest that the package has. The better of
several rounds, in processor time, counts on both sides.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = 5


def seconds_of_package(path, texts):
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        tokenizer.encode_batch_fast(texts)
        best = min(best, time.process_time() - start)
    return best


def seconds_of_headway(binary, path):
    options = ["--benchmark_format=json", f"--benchmark_repetitions={ROUNDS}", "--benchmark_min_time=0.2",
               "--benchmark_filter=^text/[^/]*$"]
    output = subprocess.run([binary, *options, str(path)], capture_output=True, text=True, check=True).stdout
    runs = json.loads(output[output.index("{"):])["benchmarks"]
    return min(run["cpu_time"] for run in runs if run["run_type"] == "iteration") / 1000


def main(binary, *files):
    texts = (ROOT / "bench/data/texts-2000.txt").read_text(encoding="utf-8").split("\n")
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    models = sorted((ROOT / "tests/golden/tokenizer/models").glob("*.json"))
    print("| tokenizer | Headway, MB/s | tokenizers, MB/s | Headway is faster by |\n| --- | --- | --- | --- |")
    for path in map(pathlib.Path, files or [*models, ROOT / "models/all-MiniLM-L6-v2/tokenizer.json"]):
        ours, theirs = seconds_of_headway(binary, path), seconds_of_package(path, texts)
        name = path.parent.name if path.name == "tokenizer.json" else path.stem
        print(f"| {name} | {megabytes / ours:.1f} | {megabytes / theirs:.2f} | {theirs / ours:.1f} x |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
