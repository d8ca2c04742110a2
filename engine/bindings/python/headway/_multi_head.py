"""The layer MultiHead."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _headway
from ._arguments import (
    floats,
    integer,
    integers,
    number,
    optional_integer,
    optional_number,
    size,
    small_integer,
    text,
    token,
)
from ._errors import ArgumentError
from ._headway import CancelToken
from ._memory import MemoryUse

Floats = NDArray[np.float32]


class MultiHead:
    """Multi-head self-attention: [B, T, D] in and out.

    q, k and v are x qkv_weight^T + qkv_bias, split; y is the attention's output times out_weight^T, plus out_bias.
    Weights are float32, [out, in], as PyTorch's nn.Linear holds them; they are copied. Any number of threads may use
    one layer at once.

        layer = headway.MultiHead(qkv_weight, out_weight, heads=8, out_bias=out_bias)
        y = layer(x)
    """

    def __init__(
        self,
        qkv_weight: Any,
        out_weight: Any,
        *,
        heads: int,
        qkv_bias: Any = None,
        out_bias: Any = None,
        kv_heads: int | None = None,
        scale: float | None = None,
        softcap: float = 0.0,
        is_causal: bool = False,
        left_window: int | None = None,
        right_window: int | None = None,
        threads: int | None = None,
        precision: Literal["f32", "bf16", "int8"] = "f32",
        memory: int | None = None,
    ) -> None:
        """qkv_weight: [H size + 2 KV size, D], usually [3 D, D]; qkv_bias: as many numbers as it has rows.
        out_weight: [D, H size], usually [D, D]; out_bias: [D].
        heads: H; kv_heads: KV, which divides it, by default H.
        scale, softcap, is_causal, left_window, right_window: as those of `headway.attention`.
        threads, precision, memory: as those of `headway.Embedder`.
        """

        def copy(value: Any, name: str, axes: str) -> Floats:
            return np.array(floats(value, name, axes), order="C")

        qkv_weight = copy(qkv_weight, "qkv_weight", "[3 D, D]")
        out_weight = copy(out_weight, "out_weight", "[D, D]")
        self._in, self._out = qkv_weight.shape[1], out_weight.shape[0]
        self._heads = integer(heads, "heads")
        self._layer = _headway.MultiHead(
            qkv_weight,
            out_weight,
            None if qkv_bias is None else copy(qkv_bias, "qkv_bias", "[3 D]"),
            None if out_bias is None else copy(out_bias, "out_bias", "[D]"),
            {
                "heads": small_integer(heads, "heads"),
                "kv_heads": small_integer(kv_heads, "kv_heads"),
                "scale": optional_number(scale, "scale"),
                "softcap": number(softcap, "softcap"),
                "is_causal": bool(is_causal),
                "left_window": optional_integer(left_window, "left_window"),
                "right_window": optional_integer(right_window, "right_window"),
                "threads": small_integer(threads, "threads"),
                "precision": text(precision, "precision"),
                "memory": size(memory, "memory"),
            },
        )

    @property
    def memory(self) -> MemoryUse:
        return MemoryUse(*self._layer.memory())

    def trim(self) -> None:
        """Gives back the working memory that no call uses at this moment."""
        self._layer.trim()

    # Floats | tuple[Floats, Floats] would make callers ask which of them it is.
    def __call__(
        self, x: Any, *, lengths: Any = None, return_weights: bool = False, cancel: CancelToken | None = None
    ) -> Any:
        """y, float32 [B, T, D], for x, float32 [B, T, D]; with return_weights also the attention weights,
        [B, H, T, T].

        lengths: [B] integers, tokens of each sequence, by default T. What stands beyond them in x is not read, and y
            and the weights are 0 there.
        cancel: ends the call with an Error when another thread asks for it.
        """
        x = floats(x, "x", "[B, T, D]")
        batch, tokens, width = x.shape
        if width != self._in:
            raise ArgumentError(f"x: expected [B, T, {self._in}], found the shape {list(x.shape)}")
        counts = [tokens] * batch if lengths is None else integers(lengths, "lengths")
        if len(counts) != batch or not all(0 <= count <= tokens for count in counts):
            raise ArgumentError(f"lengths: expected {batch} integers from 0 to {tokens}, found {counts}")

        inside = np.arange(tokens) < np.array(counts, np.int64).reshape(batch, 1)
        whole = all(count == tokens for count in counts)
        rows = np.require(x, requirements=["C", "A"]).reshape(batch * tokens, width) if whole else x[inside]
        y = np.empty((len(rows), self._out), np.float32)
        sizes = [self._heads * count * count for count in counts]
        weights = np.empty(sum(sizes), np.float32) if return_weights else None
        self._layer.run(counts, rows, y, weights, token(cancel))

        if whole:
            result = y.reshape(batch, tokens, self._out)
        else:
            result = np.zeros((batch, tokens, self._out), np.float32)
            result[inside] = y
        if weights is None:
            return result
        square = np.zeros((batch, self._heads, tokens, tokens), np.float32)
        parts = np.split(weights, np.cumsum(sizes)[:-1])
        for b, (count, part) in enumerate(zip(counts, parts)):
            square[b, :, :count, :count] = part.reshape(self._heads, count, count)
        return result, square
