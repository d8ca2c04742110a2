# The package in the children of multiprocessing, however they start.
import concurrent.futures
import multiprocessing

import numpy as np
import pytest
from conftest import MODEL, call_in_process

import headway

TEXTS = [f"text number {i} " * (1 + i % 7) for i in range(60)]


def encode(embedder):
    return embedder.encode(TEXTS)


def open_and_encode():
    return encode(headway.Embedder(MODEL))


def attend():
    x = np.arange(2 * 4 * 100 * 16, dtype=np.float32).reshape(2, 4, 100, 16) / 1e4
    return headway.attention(x, x, x)


def test_a_forked_child_uses_what_its_parent_used(embedder):
    expected, attended = encode(embedder), attend()
    for _ in range(3):
        np.testing.assert_array_equal(call_in_process("fork", encode, embedder), expected)
        np.testing.assert_array_equal(call_in_process("fork", open_and_encode), expected)
        np.testing.assert_array_equal(call_in_process("fork", attend), attended)
    # And the parent goes on.
    np.testing.assert_array_equal(encode(embedder), expected)


def test_a_spawned_child(embedder):
    np.testing.assert_array_equal(call_in_process("spawn", encode, embedder), encode(embedder))
    np.testing.assert_array_equal(call_in_process("spawn", attend), attend())


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_of_workers(embedder, method):
    parts = [TEXTS[i : i + 20] for i in range(0, len(TEXTS), 20)]
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        vectors = np.concatenate(list(pool.map(embedder.encode, parts)))
    np.testing.assert_array_equal(vectors, encode(embedder))
