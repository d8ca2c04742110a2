# headway.Embedder: the vectors and ids of the real model against sentence-transformers', and what the class adds.
import concurrent.futures
import json
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import GOLDEN, MODEL, ROOT, golden_lines

import headway


def test_golden_vectors(embedder, texts):
    got = embedder.encode(texts)
    assert got.dtype == np.float32 and got.shape == (len(texts), 384) and got.flags.c_contiguous
    expected = np.load(GOLDEN / "embeddings.npy").astype(np.float64)
    cosines = np.sum(got * expected, axis=1) / np.linalg.norm(expected, axis=1) / np.linalg.norm(got, axis=1)
    assert len(texts) > 500 and cosines.min() > 0.999999


def test_golden_ids(embedder, texts):
    assert embedder.tokenize(texts) == golden_lines("ids.jsonl")


def test_other_texts_order_and_threads_do_not_change_a_bit(embedder, texts):
    texts = texts[100:140]
    expected = embedder.encode(texts)
    np.testing.assert_array_equal(embedder.encode(texts[::-1]), expected[::-1])
    np.testing.assert_array_equal(headway.Embedder(MODEL, threads=1).encode(texts), expected)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        alone = pool.map(embedder.encode, texts)
        np.testing.assert_array_equal(np.stack(list(alone)), expected)


def test_iterables(embedder):
    texts = ["a cat", "two dogs", ""]
    expected = embedder.encode(texts)
    for given in (tuple(texts), iter(texts), np.array(texts), {text: 1 for text in texts}):
        np.testing.assert_array_equal(embedder.encode(given), expected)
    np.testing.assert_array_equal(embedder.encode("a cat"), expected[0])
    assert embedder.encode("a cat").shape == (384,)
    assert embedder.encode([]).shape == (0, 384) and embedder.tokenize([]) == []
    assert embedder.tokenize("a cat") == [[101, 1037, 4937, 102]]


def test_progress_bar(embedder, capfd):
    texts = [f"text {i}" for i in range(600)]  # more than between two updates
    np.testing.assert_array_equal(embedder.encode(texts, show_progress_bar=True), embedder.encode(texts))
    assert f"{len(texts)}/{len(texts)}" in capfd.readouterr().err


def test_dimensions(embedder, texts):
    texts = texts[:40]
    whole = embedder.encode(texts).astype(np.float64)
    for kept in (1, 100, 383):
        got = embedder.encode(texts, dimensions=kept)
        expected = whole[:, :kept] / np.linalg.norm(whole[:, :kept], axis=1, keepdims=True)
        assert got.dtype == np.float32 and got.shape == (len(texts), kept)
        np.testing.assert_allclose(got, expected, rtol=2e-7, atol=1e-12)
    np.testing.assert_array_equal(embedder.encode(texts, dimensions=384), whole)
    assert embedder.encode("a", dimensions=7).shape == (7,)


def test_dimensions_of_vectors_that_are_not_normalized(model_copy):
    (model_copy / "modules.json").unlink()
    embedder = headway.Embedder(model_copy)
    assert not embedder.info.normalize
    np.testing.assert_array_equal(embedder.encode(["a cat"], dimensions=5), embedder.encode(["a cat"])[:, :5])


def write_prompts(directory, prompts):
    file = directory / "config_sentence_transformers.json"
    file.write_text(json.dumps({"prompts": prompts}), encoding="utf-8")


def test_prompts(model_copy, embedder):
    write_prompts(model_copy, {"query": "query: ", "none": None})
    asking = headway.Embedder(model_copy)
    assert asking.info.prompts == {"query": "query: ", "document": "", "none": ""}
    expected = embedder.encode(["query: a cat", "query: "])
    np.testing.assert_array_equal(asking.encode(["a cat", ""], prompt_name="query"), expected)
    np.testing.assert_array_equal(asking.encode(["a cat", ""], prompt="query: "), expected)
    np.testing.assert_array_equal(asking.encode(["a cat"], prompt_name="none"), embedder.encode(["a cat"]))
    np.testing.assert_array_equal(asking.encode(["a cat"]), embedder.encode(["a cat"]))
    with pytest.raises(headway.ArgumentError, match='prompt_name: expected one of document, none, query, found "x"'):
        asking.encode(["a"], prompt_name="x")
    with pytest.raises(headway.ArgumentError, match="prompt and prompt_name do not go together"):
        asking.encode(["a"], prompt="x", prompt_name="query")
    with pytest.raises(TypeError, match="prompt: expected str, found int"):
        asking.encode(["a"], prompt=3)
    write_prompts(model_copy, {"query": 1})
    with pytest.raises(headway.Error, match='config_sentence_transformers.json: field "prompts.query"'):
        headway.Embedder(model_copy)


def test_golden_pipelines():
    for directory in (ROOT / "tests/golden/pipelines").iterdir():
        embedder = headway.Embedder(directory)
        golden = json.loads((directory / "expected.json").read_text())
        for case in golden["cases"]:
            expected = np.array(case.pop("vectors"))
            np.testing.assert_allclose(embedder.encode(golden["texts"], **case), expected, rtol=1e-5, atol=1e-5)


def test_info(embedder):
    info = embedder.info
    assert (info.architecture, info.layers, info.dim, info.heads) == ("bert", 6, 384, 12)
    assert (info.max_length, info.pooling, info.normalize, info.precision) == (256, "mean", True, "f32")
    assert info.sources["max_length"] == "sentence_bert_config.json: max_seq_length" and info.threads >= 1
    short = headway.Embedder(MODEL, max_length=8, threads=1)
    assert short.info.max_length == 8 and short.info.threads == 1
    assert short.tokenize(["one two three four five six seven eight"])[0][6:] == [2416, 102]


def test_pickle(embedder):
    short = pickle.loads(pickle.dumps(headway.Embedder(MODEL, max_length=8, threads=1)))
    assert short.info.max_length == 8 and short.info.threads == 1


def test_long_texts(embedder):
    np.testing.assert_array_equal(embedder.encode("cat " * 25_000_000), embedder.encode("cat " * 300))


REFUSED = [
    (lambda e: e.encode(3), TypeError, "texts: expected str or an iterable of str, found int"),
    (lambda e: e.encode(b"bytes"), TypeError, "texts: expected str or an iterable of str, found bytes"),
    (lambda e: e.encode(["a", 3]), TypeError, "texts[1]: expected str, found int"),
    (lambda e: e.encode(["a", None], prompt="x"), TypeError, "texts[1]: expected str, found NoneType"),
    (lambda e: e.tokenize(["a", b"b"]), TypeError, "texts[1]: expected str, found bytes"),
    (lambda e: e.encode(["a", "\ud800"]), ValueError, "texts[1]: expected text, found half of a surrogate pair"),
    (lambda e: e.encode(["a"], prompt="\udc00"), ValueError, "prompt: expected text, found half of a surrogate pair"),
    (lambda e: e.encode(["a"], dimensions=0), ValueError, "dimensions: expected 1 or more, below 2**63, found 0"),
    (lambda e: e.encode(["a"], dimensions=385), ValueError, "dimensions: expected 1 to 384, found 385"),
    (lambda e: e.encode(["a"], dimensions=1.5), TypeError, "dimensions: expected an integer, found float"),
    (lambda e: headway.Embedder(3), TypeError, "path: "),
    (lambda e: headway.Embedder(MODEL, threads=-1), ValueError, "threads: expected 0 or more"),
    (lambda e: headway.Embedder(MODEL, threads="2"), TypeError, "threads: expected an integer, found str"),
    (lambda e: headway.Embedder(MODEL, max_length=257), headway.Error, "max_length: 257 asked for, 256 allowed"),
    (lambda e: headway.Embedder(MODEL, precision="f8"), ValueError, "precision: expected one of f32, bf16, int8"),
    (lambda e: headway.Embedder(MODEL, precision=8), TypeError, "precision: expected str, found int"),
]


@pytest.mark.parametrize("call, kind, message", REFUSED, ids=[case[2] for case in REFUSED])
def test_refused(embedder, call, kind, message):
    with pytest.raises(kind) as error:
        call(embedder)
    assert message in str(error.value)


def test_errors_name_the_file(tmp_path):
    with pytest.raises(headway.Error) as error:
        headway.Embedder(tmp_path / "absent")
    assert error.value.code == "not_found" and "absent" in str(error.value)
    again = pickle.loads(pickle.dumps(error.value))
    assert (again.code, str(again)) == (error.value.code, str(error.value))
    with pytest.raises(headway.Error):
        headway.Embedder(b"\xff\xfe no such place")


def test_a_model_removed_while_open(model_copy, embedder):
    opened = headway.Embedder(model_copy)
    shutil.rmtree(model_copy)
    np.testing.assert_array_equal(opened.encode(["a cat"]), embedder.encode(["a cat"]))


def test_a_model_written_to_while_open(model_copy):
    weights = model_copy / "model.safetensors"
    weights.unlink()
    shutil.copyfile(MODEL / "model.safetensors", weights)
    opened = headway.Embedder(model_copy)
    opened.encode(["a cat"])
    with open(weights, "r+b") as file:
        file.truncate(1000)
    with pytest.raises(headway.Error, match="model.safetensors.* was written to") as error:
        opened.encode(["a cat"])
    assert error.value.code == "io"


def test_the_program_of_the_readme():
    program = ROOT / "tests/examples/readme_python.py"
    result = subprocess.run([sys.executable, program], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert result.stdout.startswith("(2, 384) 0.1645") and result.stdout.endswith("\n(1, 8, 1000, 64)\n"), result.stderr
