# What the tests share: the model, its golden vectors, and calls in other processes.
import json
import multiprocessing
import pathlib
import shutil

import numpy as np
import pytest

import headway

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "models/all-MiniLM-L6-v2"
GOLDEN = ROOT / "tests/golden/minilm"
TASKS = ROOT / "tests/golden/tasks"
TOKENS = ROOT / "tests/golden/tokens"
MULTI_VECTOR = ROOT / "tests/golden/multi_vector"


def golden_lines(name):
    with open(GOLDEN / name, encoding="utf-8", newline="\n") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def embedder():
    return headway.Embedder(MODEL)


@pytest.fixture(scope="session")
def texts():
    return golden_lines("texts.jsonl")


@pytest.fixture
def random():
    return np.random.default_rng(7)


@pytest.fixture
def model_copy(tmp_path):
    """A model directory in which a test may write other files; the large ones are links."""
    shutil.copytree(MODEL, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.safetensors"))
    (tmp_path / "model.safetensors").symlink_to(MODEL / "model.safetensors")
    return tmp_path


def _answer(pipe, function, arguments):
    pipe.send(function(*arguments))


def call_in_process(method, function, *arguments):
    """The result of a call in a child that multiprocessing starts by `method`. A child that hangs is an error."""
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(theirs, function, arguments))
    child.start()
    theirs.close()
    try:
        assert ours.poll(120), "the child hangs"
        return ours.recv()
    finally:
        child.kill()
        child.join()
