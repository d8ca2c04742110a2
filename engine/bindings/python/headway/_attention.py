"""Attention as a function."""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _headway
from ._arguments import (
    array,
    floats,
    integers,
    number,
    optional_integer,
    optional_number,
    readable,
    small_integer,
    text,
    token,
)
from ._errors import ArgumentError
from ._headway import CancelToken

Floats = NDArray[np.float32]


class AttentionOutput(NamedTuple):
    """What `attention` returns when more than `y` is asked for; what was not asked for is None."""

    y: Floats
    present_key: Floats | None
    present_value: Floats | None
    qk: Floats | None


def attention(
    q: Any,
    k: Any,
    v: Any,
    *,
    mask: Any = None,
    is_causal: bool = False,
    scale: float | None = None,
    softcap: float = 0.0,
    past_key: Any = None,
    past_value: Any = None,
    key_lengths: Any = None,
    left_window: int | None = None,
    right_window: int | None = None,
    return_present: bool = False,
    qk_output: Literal["raw", "softcap", "bias", "weights"] | None = None,
    threads: int | None = None,
    cancel: CancelToken | None = None,
) -> Any:  # Floats | AttentionOutput would make callers ask which of them it is
    """softmax(q k^T * scale) v: [B, H, Tq, value size], as ONNX's Attention (opset 25) defines it.

    Arrays are float32, in any layout: numpy's, torch's or others with `__dlpack__`. They are read in place where the
    last axis is dense, so [B, T, H, size] transposed to [B, H, T, size] costs no copy.

    q: [B, H, Tq, size].
    k, v: [B, KV, Tk, size], [B, KV, Tk, value size]. KV divides H; each KV head serves H / KV heads of q in a row.
    mask: boolean, False hides; or float32, which is added to the scores (a bias; -inf hides).
        [B or 1, H or 1, Tq or 1, P + Tk] or fewer dimensions, of which the last count. One with fewer keys hides the
        rest.
    is_causal: query i sees the keys up to its own position i + offset. The offset is P with past keys, its key length
        - Tq with key_lengths, else 0.
    scale: of q k^T; 1 / sqrt(size) by default.
    softcap: above 0, scores become softcap * tanh(score / softcap) before mask and bias.
    past_key, past_value: [B, KV, P, ...], which stand before k and v.
    key_lengths: [B] integers; keys from there on are not read. Not together with past keys.
    left_window, right_window: so many keys before and after its position a query sees, and no more.
    return_present: also return the past and the new keys and values, [B, KV, P + Tk, ...].
    qk_output: also return the scores, [B, H, Tq, P + Tk]: "raw" (q k^T * scale), after the "softcap", after the
        "bias" and mask, or the "weights" that the softmax makes of them.
    threads: at most so many; by default as many as cores this process may use.
    cancel: ends the call with an Error when another thread asks for it.

    Returns y, or with return_present or qk_output an `AttentionOutput`. A query that sees no key gives zeros.
    Raises TypeError and ArgumentError, which name the argument.
    """
    q = readable(floats(q, "q", "[B, H, Tq, size]"))
    k = readable(floats(k, "k", "[B, KV, Tk, size]"))
    v = readable(floats(v, "v", "[B, KV, Tk, value size]"))
    if past_key is not None:
        past_key = readable(floats(past_key, "past_key", "[B, KV, P, size]"))
    if past_value is not None:
        past_value = readable(floats(past_value, "past_value", "[B, KV, P, value size]"))
    batch, heads, queries, _ = q.shape
    keys = k.shape[2] + (0 if past_key is None else past_key.shape[2])
    if mask is not None:
        mask = _mask(mask, (batch, heads, queries, keys))
    if key_lengths is not None:
        key_lengths = integers(key_lengths, "key_lengths")
        if len(key_lengths) != batch:
            raise ArgumentError(
                f"key_lengths: expected {batch} integers, one for each sequence, found {len(key_lengths)}")

    y = np.empty((batch, heads, queries, v.shape[3]), np.float32)
    present_key = np.empty((*k.shape[:2], keys, k.shape[3]), np.float32) if return_present else None
    present_value = np.empty((*v.shape[:2], keys, v.shape[3]), np.float32) if return_present else None
    qk = None if qk_output is None else np.empty((batch, heads, queries, keys), np.float32)
    is_bias = mask is not None and mask.dtype == np.float32
    _headway.attention(
        q=q,
        k=k,
        v=v,
        y=y,
        mask=None if is_bias else mask,
        bias=mask if is_bias else None,
        is_causal=bool(is_causal),
        scale=optional_number(scale, "scale"),
        softcap=number(softcap, "softcap"),
        past_key=past_key,
        past_value=past_value,
        key_lengths=key_lengths,
        left_window=optional_integer(left_window, "left_window"),
        right_window=optional_integer(right_window, "right_window"),
        present_key=present_key,
        present_value=present_value,
        scores=qk,
        qk_output=None if qk_output is None else text(qk_output, "qk_output"),
        threads=small_integer(threads, "threads"),
        cancel=token(cancel),
    )
    return AttentionOutput(y, present_key, present_value, qk) if return_present or qk_output is not None else y


def _mask(mask: Any, full: tuple[int, int, int, int]) -> NDArray[Any]:
    """With four dimensions."""
    mask = array(mask, "mask", np.bool_, np.float32)
    shape = (1,) * (4 - mask.ndim) + mask.shape
    if len(shape) > 4 or any(n not in (1, m) for n, m in zip(shape[:3], full)) or shape[3] > max(full[3], 1):
        raise ArgumentError(
            f"mask: expected the shape {list(full)}, where 1 stands for all and there may be fewer keys, "
            f"found {list(mask.shape)}")
    return readable(mask.reshape(shape), rows_overlap=True)
