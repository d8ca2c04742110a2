# headway.MultiHead against numpy in double precision.
import numpy as np
import pytest
import reference

import headway

D, H, B, T = 64, 8, 2, 10


@pytest.fixture
def weights(random):
    def numbers(*shape):
        return (0.1 * random.standard_normal(shape)).astype(np.float32)

    return {"qkv_weight": numbers(3 * D, D), "out_weight": numbers(D, D), "qkv_bias": numbers(3 * D), "out_bias": numbers(D)}


def expected(x, weights, **options):
    """(y, attention weights) of x [B, T, D]."""
    batch, tokens, _ = x.shape
    rows = x.astype(np.float64) @ weights["qkv_weight"].T + weights.get("qkv_bias", 0)
    q, k, v = (part.reshape(batch, tokens, H, D // H).swapaxes(1, 2) for part in np.split(rows, 3, axis=2))
    y, _, _, stages = reference.attention(q, k, v, **options)
    y = y.swapaxes(1, 2).reshape(batch, tokens, D)
    return y @ weights["out_weight"].T + weights.get("out_bias", 0), stages["weights"]


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"left_window": 3}, {"softcap": 0.5, "scale": 0.3}])
def test_reference(random, weights, options):
    x = random.standard_normal((B, T, D), np.float32)
    layer = headway.MultiHead(**weights, heads=H, **options)
    y, attention_weights = layer(x, return_weights=True)
    expected_y, expected_weights = expected(x, weights, **options)
    assert y.dtype == np.float32 and y.shape == x.shape and attention_weights.shape == (B, H, T, T)
    np.testing.assert_allclose(y, expected_y, atol=1e-5)
    np.testing.assert_allclose(attention_weights, expected_weights, atol=1e-5)
    np.testing.assert_array_equal(layer(x), y)


def test_without_bias(random, weights):
    x = random.standard_normal((B, T, D), np.float32)
    del weights["qkv_bias"], weights["out_bias"]
    np.testing.assert_allclose(headway.MultiHead(**weights, heads=H)(x), expected(x, weights)[0], atol=1e-5)


def test_lengths(random, weights):
    x = random.standard_normal((3, T, D), np.float32)
    layer = headway.MultiHead(**weights, heads=H)
    lengths = [7, 0, 10]
    x[0, 7:] = np.nan
    y, attention_weights = layer(x, lengths=lengths, return_weights=True)
    for b, length in enumerate(lengths):
        alone, alone_weights = layer(x[b : b + 1, :length], return_weights=True)
        np.testing.assert_array_equal(y[b, :length], alone[0])
        np.testing.assert_array_equal(attention_weights[b, :, :length, :length], alone_weights[0])
        assert not y[b, length:].any() and not attention_weights[b, :, length:].any()
        assert not attention_weights[b, :, :, length:].any()


def test_weights_are_copied(random, weights):
    x = random.standard_normal((B, T, D), np.float32)
    layer = headway.MultiHead(**weights, heads=H)
    before = layer(x)
    for array in weights.values():
        array[...] = np.nan
    np.testing.assert_array_equal(layer(x), before)


def test_layouts(random, weights):
    layer = headway.MultiHead(**weights, heads=H)
    x = random.standard_normal((B, T, D), np.float32)
    read_only = x.copy()
    read_only.flags.writeable = False
    tokens_first = np.ascontiguousarray(x.swapaxes(0, 1)).swapaxes(0, 1)
    misplaced = np.frombuffer(b"." + x.tobytes(), np.float32, offset=1).reshape(x.shape)
    for other in (read_only, tokens_first, np.ascontiguousarray(x[:, :, ::-1])[:, :, ::-1], misplaced):
        np.testing.assert_array_equal(layer(other), layer(x))
    assert layer(np.empty((0, T, D), np.float32)).shape == (0, T, D)
    assert layer(np.empty((B, 0, D), np.float32)).shape == (B, 0, D)


REFUSED = [
    ({"heads": 7}, ValueError, "7"),
    ({"heads": "8"}, TypeError, "heads: expected an integer, found str"),
    ({"kv_heads": 3}, ValueError, "3"),
    ({"qkv_weight": np.ones((3 * D, D))}, TypeError, "qkv_weight: expected float32, found float64"),
    ({"qkv_weight": np.ones((D, D), np.float32)}, ValueError, "qkv"),
    ({"out_weight": np.ones(D, np.float32)}, ValueError, "out_weight: expected 2 dimensions, [D, D]"),
    ({"out_bias": np.ones(D - 1, np.float32)}, ValueError, "out_bias"),
    ({"precision": "f8"}, ValueError, "precision: expected one of f32, bf16, int8"),
    ({"softcap": None}, TypeError, "softcap: expected a number, found NoneType"),
]


@pytest.mark.parametrize("change, kind, message", REFUSED, ids=[str(i) for i in range(len(REFUSED))])
def test_refused(weights, change, kind, message):
    with pytest.raises(kind) as error:
        headway.MultiHead(**{**weights, "heads": H, **change})
    assert message in str(error.value)


def test_refused_calls(weights):
    layer = headway.MultiHead(**weights, heads=H)
    x = np.ones((B, T, D), np.float32)
    for call, kind, message in [
        (lambda: layer(x[0]), ValueError, "x: expected 3 dimensions, [B, T, D]"),
        (lambda: layer(x.astype(np.float16)), TypeError, "x: expected float32, found float16"),
        (lambda: layer(x.tolist()), TypeError, "x: expected a numpy array"),
        (lambda: layer(x[:, :, :5]), ValueError, "x: expected [B, T, 64]"),
        (lambda: layer(x, lengths=[1]), ValueError, "lengths: expected 2 integers from 0 to 10"),
        (lambda: layer(x, lengths=[1, 11]), ValueError, "lengths: expected 2 integers from 0 to 10"),
        (lambda: layer(x, lengths=["a", "b"]), TypeError, "lengths: expected integers"),
    ]:
        with pytest.raises(kind) as error:
            call()
        assert message in str(error.value)
