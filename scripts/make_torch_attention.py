#!/usr/bin/env python3
"""Writes tests/golden/torch_attention/: attention as PyTorch computes it in float64.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_torch_attention.py

sdpa.json             calls of scaled_dot_product_attention, one object each
multihead.json        the same of nn.MultiheadAttention
tensors.safetensors   their results as float32, under the numbers that the objects give

The inputs are not stored: numbers(seed, shape) makes them here and in the test, with
seed = 16 * (index of the call in its file) + (what the input is).
"""
import json
import math
import pathlib

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right
from torch.nn.functional import scaled_dot_product_attention

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests/golden/torch_attention"
# What an input is, for its seed.
Q, K, V, MASK, IN_WEIGHT, IN_BIAS, OUT_WEIGHT, OUT_BIAS, K_WEIGHT, V_WEIGHT, PADDING = range(11)

results = {}


def store(array):
    number = str(len(results))
    results[number] = np.ascontiguousarray(array.detach().numpy().astype(np.float32))
    assert not np.isnan(results[number]).any()
    return number


def numbers(seed, shape):
    """Multiples of 2^-23 in [-1, 1), row-major: element i is the hash of i + seed * 0x9e3779b9."""
    x = np.arange(math.prod(shape), dtype=np.uint32) + np.uint32(seed * 0x9E3779B9 % 2**32)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x7FEB352D)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x846CA68B)
    x ^= x >> np.uint32(16)
    return torch.from_numpy((x >> np.uint32(8)).astype(np.float64) * 2.0**-23 - 1).reshape(shape)


def float_mask(seed, shape):
    """Twice the numbers; -inf for the lowest 15 %."""
    x = numbers(seed, shape)
    return torch.where(x < -0.7, -math.inf, 2 * x)


def distances(queries, keys):
    return torch.arange(keys) - torch.arange(queries)[:, None]  # j - i


def sdpa(index, call):
    b, h, kv, tq, tk = (call[name] for name in ("batch", "heads", "kv_heads", "queries", "keys"))
    seed = 16 * index
    q = 4 * numbers(seed + Q, (b, h, tq, call["size"]))  # uneven weights, so that a wrong one shows
    k = numbers(seed + K, (b, kv, tk, call["size"]))
    v = numbers(seed + V, (b, kv, tk, call["value_size"]))
    kind, mask = call["mask"], None
    if kind == "bool":
        mask = numbers(seed + MASK, call["mask_shape"]) > -0.5
    elif kind == "float":
        mask = float_mask(seed + MASK, call["mask_shape"])
    elif kind == "bottom_right":
        mask = causal_lower_right(tq, tk)
    elif kind == "alibi":  # slope 2^-(8 h / H) for h = 1 ... H, on both sides of the query
        slopes = 2.0 ** (-8.0 * torch.arange(1, h + 1, dtype=torch.float64) / h)
        mask = -slopes[:, None, None] * distances(tq, tk).abs()
    elif kind == "relative":  # a vector of 5 for each head, its ends for all that is farther
        vectors = 2 * numbers(seed + MASK, (h, 5))
        mask = vectors[:, distances(tq, tk).clamp(-2, 2) + 2]
    with sdpa_kernel(SDPBackend.MATH):
        out = scaled_dot_product_attention(
            q, k, v, attn_mask=mask, is_causal=kind == "causal", scale=call["scale"], enable_gqa=h != kv
        )
    return call | {"out": store(out)}


def sdpa_calls():
    masks = ["none", "causal", "bool", "float"]
    for size in (1, 8, 20, 32, 64, 80, 128, 256):
        for mask in masks:
            yield {"batch": 1, "heads": 2, "kv_heads": 2, "queries": 3, "keys": 7, "size": size, "value_size": size,
                   "mask": mask, "mask_shape": (1, 1, 3, 7), "scale": None}
    for tq, tk in ((1, 1), (1, 9), (4, 4), (5, 3), (3, 17)):
        for groups in (1, 2, 4):
            for mask in masks + ["bottom_right", "alibi", "relative"]:
                for value_size, scale in ((8, None), (5, 0.25)):
                    shapes = ((1, 1, tq, tk), (2, 1, tq, tk), (1, 4, tq, tk), (2, 4, tq, tk), (2, 1, 1, tk))
                    yield {"batch": 2, "heads": 4, "kv_heads": 4 // groups, "queries": tq, "keys": tk, "size": 8,
                           "value_size": value_size, "mask": mask, "mask_shape": shapes[(tq + groups + value_size) % 5],
                           "scale": scale}


def multihead(index, call):
    b, h, tq, tk, dim = (call[name] for name in ("batch", "heads", "queries", "keys", "dim"))
    seed = 16 * index
    layer = nn.MultiheadAttention(dim, h, bias=call["bias"], kdim=call["key_dim"], vdim=call["value_dim"],
                                  batch_first=True, dtype=torch.float64)
    state = {"out_proj.weight": numbers(seed + OUT_WEIGHT, (dim, dim))}
    if (call["key_dim"], call["value_dim"]) == (dim, dim):
        state["in_proj_weight"] = numbers(seed + IN_WEIGHT, (3 * dim, dim))
    else:
        state["q_proj_weight"] = numbers(seed + IN_WEIGHT, (dim, dim))
        state["k_proj_weight"] = numbers(seed + K_WEIGHT, (dim, call["key_dim"]))
        state["v_proj_weight"] = numbers(seed + V_WEIGHT, (dim, call["value_dim"]))
    if call["bias"]:
        state["in_proj_bias"] = numbers(seed + IN_BIAS, (3 * dim,))
        state["out_proj.bias"] = numbers(seed + OUT_BIAS, (dim,))
    layer.load_state_dict(state)
    q = k = v = numbers(seed + Q, (b, tq, dim))
    if not call["self"]:
        k = numbers(seed + K, (b, tk, call["key_dim"]))
        v = numbers(seed + V, (b, tk, call["value_dim"]))
    mask = padding = None  # in both of which true hides
    if call["mask"] == "causal":
        mask = distances(tq, tk) > 0
    elif call["mask"] == "float":
        mask = numbers(seed + MASK, (b * h, tq, tk))
    if call["padding"]:  # the first key is never hidden: PyTorch would give NaN
        padding = numbers(seed + PADDING, (b, tk)) > 0
        padding[:, 0] = False
        if mask is not None and mask.dtype != torch.bool:
            padding = torch.zeros_like(padding, dtype=mask.dtype).masked_fill(padding, -math.inf)
    out, weights = layer(q, k, v, key_padding_mask=padding, attn_mask=mask, average_attn_weights=False)
    return call | {"out": store(out), "weights": store(weights)}


def multihead_calls():
    for attends_self in (True, False):
        for mask in ("none", "causal", "float"):
            for padding in (False, True):
                yield {"batch": 2, "heads": 3, "queries": 5, "keys": 5 if attends_self else 8, "dim": 12, "key_dim": 12,
                       "value_dim": 12, "self": attends_self, "bias": padding, "mask": mask, "padding": padding}
    yield {"batch": 2, "heads": 2, "queries": 3, "keys": 6, "dim": 16, "key_dim": 9, "value_dim": 20, "self": False,
           "bias": True, "mask": "float", "padding": True}


def write(name, run, calls):
    lines = ",\n".join(json.dumps(run(index, call)) for index, call in enumerate(calls))
    (GOLDEN / name).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main():
    GOLDEN.mkdir(parents=True, exist_ok=True)
    write("sdpa.json", sdpa, sdpa_calls())
    write("multihead.json", multihead, multihead_calls())
    save_file(results, GOLDEN / "tensors.safetensors")


if __name__ == "__main__":
    main()
