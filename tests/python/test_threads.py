# Many threads, limits under load, and calls that are ended early.
import concurrent.futures
import gc
import os
import signal
import threading
import time

import numpy as np
import pytest
from conftest import MODEL, MULTI_VECTOR, TASKS, TOKENS

import headway

TEXTS = [f"text number {i} " * (1 + i % 7) for i in range(24)]


def on_sixteen_threads(work):
    with concurrent.futures.ThreadPoolExecutor(16) as threads:
        return [future.result() for future in [threads.submit(work, i) for i in range(16)]]


def test_sixteen_threads_get_the_same_bits(embedder, random):
    x = random.standard_normal((2, 4, 100, 16), np.float32)
    weights = random.standard_normal((3 * 64, 64), np.float32) / 8
    layer = headway.MultiHead(weights, weights[:64], heads=4, threads=2)
    rows = random.standard_normal((2, 50, 64), np.float32)
    expected = embedder.encode(TEXTS), embedder.tokenize(TEXTS), headway.attention(x, x, x), layer(rows)

    def work(i):
        embedder.trim()
        np.testing.assert_array_equal(embedder.encode(TEXTS), expected[0])
        assert embedder.tokenize(TEXTS) == expected[1]
        np.testing.assert_array_equal(headway.attention(x, x, x), expected[2])
        np.testing.assert_array_equal(layer(rows), expected[3])
        layer.trim()

    on_sixteen_threads(work)


def test_memory_under_load():
    cap = 20 << 20
    small = headway.Embedder(MODEL, threads=2, memory=cap)
    on_sixteen_threads(lambda i: small.encode(TEXTS))
    memory = small.memory
    assert 0 < memory.in_use <= memory.peak <= cap
    assert memory.packed_weights > 40 << 20
    small.trim()
    assert small.memory.in_use == 0 and small.memory.peak == memory.peak


def test_an_object_that_goes_while_others_call():
    for _ in range(3):
        holder = [headway.Embedder(MODEL, threads=1)]
        begun = threading.Barrier(9)

        def work(i):
            encode = holder[0].encode
            begun.wait()
            return encode(TEXTS)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            futures = [pool.submit(work, i) for i in range(8)]
            begun.wait()
            holder.clear()
            gc.collect()
            vectors = [future.result() for future in futures]
        assert all(np.array_equal(v, vectors[0]) for v in vectors)


LONG = np.full((1, 8, 12000, 64), 0.5, np.float32)  # seconds


CALLS = ["encode", "rank", "classify", "encode sparsely", "encode tokens", "tag", "fill masks", "attention", "layer"]


def calls(embedder):
    layer = headway.MultiHead(np.zeros((384, 128), np.float32), np.zeros((128, 128), np.float32), heads=8)
    long_rows = np.zeros((1, 12000, 128), np.float32)
    many = ["how are you, cat? " * 9] * 200_000
    reranker, classifier = headway.Reranker(TASKS / "reranker"), headway.Classifier(TASKS / "classifier")
    sparse_embedder = headway.SparseEmbedder(TASKS / "sparse")
    tagger, masked_lm = headway.TokenClassifier(TOKENS / "bert"), headway.MaskedLM(TOKENS / "bert")
    late = headway.MultiVectorEmbedder(MULTI_VECTOR / "bert")
    return {
        "rank": lambda cancel: reranker.rank("a cat", many, cancel=cancel),
        "classify": lambda cancel: classifier.classify(many, cancel=cancel),
        "encode sparsely": lambda cancel: sparse_embedder.encode(many, cancel=cancel),
        "encode tokens": lambda cancel: late.encode_documents(many, cancel=cancel),
        "tag": lambda cancel: tagger.classify(many, cancel=cancel),
        "fill masks": lambda cancel: masked_lm.fill_mask(["the [MASK] " * 9] * 100_000, cancel=cancel),
        "encode": lambda cancel: embedder.encode(["long text " * 300] * 2000, cancel=cancel),
        "attention": lambda cancel: headway.attention(LONG, LONG, LONG, cancel=cancel),
        "layer": lambda cancel: layer(long_rows, cancel=cancel),
    }


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("thread", ["main", "other"])
def test_cancel(embedder, name, thread):
    token = headway.CancelToken()
    assert not token.cancelled
    requested = []

    def request():
        requested.append(time.monotonic())
        token.cancel()

    timer = threading.Timer(0.2, request)
    call = calls(embedder)[name]
    timer.start()
    with pytest.raises(headway.Error) as error:
        if thread == "main":
            call(token)
        else:
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                pool.submit(call, token).result()
    late = time.monotonic() - requested[0]
    assert error.value.code == "cancelled" and token.cancelled
    assert late < 0.5  # 0.1 on a machine that does nothing else
    with pytest.raises(headway.Error):
        headway.attention(LONG[:, :, :1], LONG[:, :, :1], LONG[:, :, :1], cancel=token)


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c(embedder, name):
    call = calls(embedder)[name]
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        call(None)
    assert time.monotonic() - begin < 1
    headway.attention(LONG[:, :, :1], LONG[:, :, :1], LONG[:, :, :1])


def test_a_signal_whose_handler_raises_nothing_ends_nothing(embedder):
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
    try:
        texts = ["long text " * 100] * 60
        expected = embedder.encode(texts[:1])
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        vectors = embedder.encode(texts)
        while not seen:
            time.sleep(0.01)
    finally:
        signal.signal(signal.SIGUSR1, before)
    np.testing.assert_array_equal(vectors, np.repeat(expected, len(texts), axis=0))


def test_cancel_takes_a_token_only(embedder):
    with pytest.raises(TypeError, match="cancel: expected headway.CancelToken, found int"):
        embedder.encode(["a"], cancel=1)
