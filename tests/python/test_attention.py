# headway.attention against a reference in double precision, its layouts, and what it refuses.
import threading
import time

import numpy as np
import pytest
import reference

import headway

B, H, KV, TQ, TK, P, SIZE, VALUE = 2, 4, 2, 5, 7, 3, 8, 6


def arrays(random, **shapes):
    return {name: random.standard_normal(shape, np.float32) for name, shape in shapes.items()}


def qkv(random):
    return arrays(random, q=(B, H, TQ, SIZE), k=(B, KV, TK, SIZE), v=(B, KV, TK, VALUE))


def past(random):
    return arrays(random, past_key=(B, KV, P, SIZE), past_value=(B, KV, P, VALUE))


OPTIONS = {
    "plain": lambda r: {},
    "scale": lambda r: {"scale": 0.2},
    "zero scale": lambda r: {"scale": 0.0},
    "causal": lambda r: {"is_causal": True},
    "softcap": lambda r: {"softcap": 0.7},
    "windows": lambda r: {"left_window": 2, "right_window": 1},
    "key lengths": lambda r: {"key_lengths": np.array([7, 5]), "is_causal": True},
    "past": lambda r: {**past(r), "is_causal": True},
    "past, window": lambda r: {**past(r), "left_window": 4, "right_window": 0},
    "mask": lambda r: {"mask": r.random((B, H, TQ, TK)) < 0.6},
    "mask of keys": lambda r: {"mask": r.random(TK) < 0.6},
    "bias": lambda r: {"mask": r.standard_normal((B, 1, TQ, TK), np.float32)},
    "bias for all, softcap": lambda r: {"mask": r.standard_normal((TQ, TK), np.float32), "softcap": 2.0},
    "bias that hides": lambda r: {"mask": np.where(r.random((H, 1, TK)) < 0.5, np.float32(-np.inf), np.float32(1))},
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("stage", ["raw", "softcap", "bias", "weights"])
def test_reference(random, options, stage):
    given = {**qkv(random), **OPTIONS[options](random)}
    y, key, value, stages = reference.attention(**given)
    got = headway.attention(**given, return_present=True, qk_output=stage)
    np.testing.assert_allclose(got.y, y, atol=2e-6, rtol=2e-5)
    np.testing.assert_array_equal(got.present_key, key)
    np.testing.assert_array_equal(got.present_value, value)
    expected = stages[stage]
    if "key_lengths" in given and stage in ("raw", "softcap"):
        # Keys that are not read have no score.
        for b, length in enumerate(given["key_lengths"]):
            expected[b, :, :, length:] = 0
    np.testing.assert_allclose(got.qk, expected, atol=2e-6, rtol=2e-5)
    # What else is asked for leaves y as it is.
    np.testing.assert_array_equal(headway.attention(**given), got.y)


def test_what_is_returned(random):
    given = qkv(random)
    y = headway.attention(**given)
    assert isinstance(y, np.ndarray) and y.dtype == np.float32 and y.shape == (B, H, TQ, VALUE)
    present = headway.attention(**given, return_present=True)
    assert present._fields == ("y", "present_key", "present_value", "qk") and present.qk is None
    scores = headway.attention(**given, qk_output="raw")
    assert scores.qk.shape == (B, H, TQ, TK) and scores.present_key is None and scores.present_value is None


def test_threads_do_not_change_a_bit(random):
    given = arrays(random, q=(3, 8, 150, 32), k=(3, 8, 150, 32), v=(3, 8, 150, 32))
    one = headway.attention(**given, threads=1)
    np.testing.assert_array_equal(one, headway.attention(**given))


def layouts(x):
    """The same numbers as x [B, H, T, size] in other places, and whether they can be read there."""
    read_only = x.copy()
    read_only.flags.writeable = False
    tokens_first = np.ascontiguousarray(x.swapaxes(1, 2)).swapaxes(1, 2)
    wide = np.zeros((*x.shape[:3], 3 * x.shape[3]), np.float32)
    wide[..., x.shape[3] : 2 * x.shape[3]] = x
    size_first = np.ascontiguousarray(x.swapaxes(2, 3)).swapaxes(2, 3)
    backwards = np.ascontiguousarray(x[:, :, ::-1])[:, :, ::-1]
    misplaced = np.frombuffer(b"." + x.tobytes(), np.float32, offset=1).reshape(x.shape)
    yield "read-only", read_only, True
    yield "tokens first", tokens_first, True
    yield "a third of a row", wide[..., x.shape[3] : 2 * x.shape[3]], True
    yield "size first", size_first, False
    yield "backwards", backwards, False
    yield "misaligned", misplaced, False


def test_layouts(random):
    given = qkv(random)
    expected = headway.attention(**given)
    for name in given:
        for layout, x, in_place in layouts(given[name]):
            np.testing.assert_array_equal(x, given[name])
            np.testing.assert_array_equal(headway.attention(**{**given, name: x}), expected, err_msg=layout)
            assert np.shares_memory(headway._arguments.readable(x), x) == in_place, layout


def test_broadcast_arrays_are_read_in_place(random):
    given = qkv(random)
    given["k"] = np.broadcast_to(given["k"][:, :1], given["k"].shape)
    mask = np.broadcast_to(random.random((TQ, 1)) < 0.7, (B, H, TQ, TK))
    copies = {name: x.copy() for name, x in given.items()}
    assert headway._arguments.readable(given["k"]) is given["k"]
    np.testing.assert_array_equal(headway.attention(**given, mask=mask), headway.attention(**copies, mask=mask.copy()))


class Foreign:
    """An array of another library."""

    def __init__(self, values):
        self.__dlpack__ = values.__dlpack__
        self.__dlpack_device__ = values.__dlpack_device__


def test_dlpack(random):
    given = qkv(random)
    foreign = {name: Foreign(x) for name, x in given.items()}
    np.testing.assert_array_equal(headway.attention(**foreign), headway.attention(**given))


def test_empty(random):
    assert headway.attention(**arrays(random, q=(0, 2, 3, 4), k=(0, 2, 3, 4), v=(0, 2, 3, 4))).shape == (0, 2, 3, 4)
    no_keys = headway.attention(**arrays(random, q=(1, 2, 3, 4), k=(1, 2, 0, 4), v=(1, 2, 0, 4)))
    np.testing.assert_array_equal(no_keys, np.zeros((1, 2, 3, 4), np.float32))


REFUSED = [
    ("q", lambda a: a["q"].astype(np.float64), TypeError, "q: expected float32, found float64"),
    ("q", lambda a: a["q"].astype(">f4"), TypeError, "q: expected float32, found >f4"),
    ("k", lambda a: a["k"].tolist(), TypeError, "k: expected a numpy array, or another with __dlpack__, found list"),
    ("v", lambda a: None, TypeError, "v: expected a numpy array"),
    ("q", lambda a: a["q"][0], headway.ArgumentError, "q: expected 4 dimensions"),
    ("k", lambda a: a["k"][:1], headway.ArgumentError, "k has the shape [1, 2, 7, 8], expected [2, 2, 7, 8]"),
    ("k", lambda a: a["k"][:, :, :, :4], headway.ArgumentError, "k has the shape"),
    ("v", lambda a: a["v"][:, :, :3], headway.ArgumentError, "v has the shape"),
    ("mask", lambda a: np.ones((TQ, TK), np.int64), TypeError, "mask: expected bool or float32, found int64"),
    ("mask", lambda a: np.ones((TQ + 1, TK), bool), headway.ArgumentError, "mask: expected the shape [2, 4, 5, 7]"),
    ("mask", lambda a: np.ones((1, 1, 1, 1, 1), bool), headway.ArgumentError, "mask: expected the shape"),
    ("scale", lambda a: "x", TypeError, "scale: expected a number, found str"),
    ("scale", lambda a: float("nan"), headway.ArgumentError, "scale is nan"),
    ("softcap", lambda a: -1.0, headway.ArgumentError, "softcap is -1"),
    ("past_key", lambda a: a["k"], headway.ArgumentError, "past_key and past_value go together"),
    ("key_lengths", lambda a: [1.5, 2], TypeError, "key_lengths: expected integers"),
    ("key_lengths", lambda a: [], headway.ArgumentError, "key_lengths: expected 2 integers"),
    ("key_lengths", lambda a: [1, TK + 1], headway.ArgumentError, "key_lengths has 8, expected 0 to 7"),
    ("left_window", lambda a: -1, headway.ArgumentError, "left_window: expected 0 or more"),
    ("right_window", lambda a: 1.5, TypeError, "right_window: expected an integer, found float"),
    ("qk_output", lambda a: "all", headway.ArgumentError, "qk_output: expected one of raw, softcap, bias, weights"),
    ("qk_output", lambda a: 3, TypeError, "qk_output: expected str, found int"),
    ("threads", lambda a: 2**40, headway.ArgumentError, "threads: expected 0 or more"),
]


@pytest.mark.parametrize("name, value, kind, message", REFUSED, ids=[f"{case[0]}-{i}" for i, case in enumerate(REFUSED)])
def test_refused(random, name, value, kind, message):
    given = qkv(random)
    given[name] = value(given)
    with pytest.raises(kind) as error:
        headway.attention(**given)
    assert message in str(error.value)
    assert isinstance(error.value, (TypeError, ValueError))


def test_other_threads_run_meanwhile(random):
    given = arrays(random, q=(1, 8, 3000, 64), k=(1, 8, 3000, 64), v=(1, 8, 3000, 64))
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    headway.attention(**given, threads=1)
    end = time.perf_counter()
    stop.set()
    thread.join()
    # With the lock held, none would lie well inside.
    inside = [t for t in ticks if begin + 0.1 * (end - begin) < t < end - 0.1 * (end - begin)]
    assert len(inside) >= 3
