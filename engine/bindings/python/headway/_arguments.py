"""Checks arguments, and takes arrays of numpy or of any library that speaks DLPack without a copy where their layout
allows it."""

import operator
import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import ArgumentError
from ._headway import CancelToken


def array(value: Any, name: str, *dtypes: type[np.generic]) -> NDArray[Any]:
    """The same memory as a numpy array; it has one of the types."""
    if not isinstance(value, np.ndarray):
        if not hasattr(value, "__dlpack__"):
            raise TypeError(
                f"{name}: expected a numpy array, or another with __dlpack__, found {type(value).__name__}")
        try:
            value = np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise TypeError(f"{name}: {error}") from error
    result: NDArray[Any] = value
    if result.dtype not in dtypes:
        expected = " or ".join(np.dtype(dtype).name for dtype in dtypes)
        raise TypeError(f"{name}: expected {expected}, found {result.dtype}")
    return result


def floats(value: Any, name: str, axes: str) -> NDArray[np.float32]:
    """The same; `axes` names as many dimensions as it has: "[B, H, T, size]"."""
    result = array(value, name, np.float32)
    rank = axes.count(",") + 1
    if result.ndim != rank:
        raise ArgumentError(f"{name}: expected {rank} dimensions, {axes}, found the shape {list(result.shape)}")
    return result


def readable(value: NDArray[Any], *, rows_overlap: bool = False) -> NDArray[Any]:
    """`value` [..., T, size], or a copy where the library cannot read it in place: rows must be dense and, unless
    rows_overlap, may not overlap."""
    size = value.itemsize
    dense = value.shape[-1] <= 1 or value.strides[-1] == size
    apart = rows_overlap or value.shape[-2] <= 1 or value.strides[-2] >= value.shape[-1] * size
    whole = all(stride >= 0 and stride % size == 0 for stride in value.strides)
    return value if dense and apart and whole and value.flags.aligned else np.array(value, order="C")


def path_bytes(value: Any, name: str) -> bytes:
    """A path as the system has it."""
    try:
        return os.fsencode(value)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def integer(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer, found {type(value).__name__}") from None


def positive(value: Any, name: str) -> int:
    result = integer(value, name)
    if not 1 <= result < 2**63:
        raise ArgumentError(f"{name}: expected 1 or more, below 2**63, found {result}")
    return result


def small_integer(value: Any, name: str) -> int:
    """None is 0, the library's default."""
    result = 0 if value is None else integer(value, name)
    if not 0 <= result < 2**31:
        raise ArgumentError(f"{name}: expected 0 or more, below 2**31, found {result}")
    return result


def optional_integer(value: Any, name: str) -> int | None:
    if value is None:
        return None
    result = integer(value, name)
    if not 0 <= result < 2**63:
        raise ArgumentError(f"{name}: expected 0 or more, below 2**63, found {result}")
    return result


def integers(value: Any, name: str) -> list[int]:
    """A sequence or array of integers."""
    numbers = np.asarray(value)
    if numbers.ndim != 1 or (numbers.size > 0 and numbers.dtype.kind not in "iu"):
        raise TypeError(f"{name}: expected integers, [B], found {numbers.dtype} {list(numbers.shape)}")
    result: list[int] = numbers.tolist()
    return result


def number(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: expected a number, found {type(value).__name__}") from None


def optional_number(value: Any, name: str) -> float | None:
    return None if value is None else number(value, name)


def text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected str, found {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ArgumentError(f"{name}: expected text, found half of a surrogate pair") from None
    return value


def text_list(value: Any, name: str, expected: str = "an iterable of str") -> list[Any]:
    """What the list holds is left to the library."""
    if isinstance(value, (str, bytes, bytearray)) or not isinstance(value, Iterable):
        raise TypeError(f"{name}: expected {expected}, found {type(value).__name__}")
    return list(value)


def one_or_more_texts(texts: Any) -> list[Any]:
    return [texts] if isinstance(texts, str) else text_list(texts, "texts", "str or an iterable of str")


def prompts(prompt: Any, prompt_name: Any) -> tuple[str | None, str | None]:
    return (
        None if prompt is None else text(prompt, "prompt"),
        None if prompt_name is None else text(prompt_name, "prompt_name"),
    )


def token(value: Any) -> CancelToken | None:
    if value is not None and not isinstance(value, CancelToken):
        raise TypeError(f"cancel: expected headway.CancelToken, found {type(value).__name__}")
    return value


def size(value: Any, name: str) -> int:
    """Bytes; None is 0, the library's default."""
    result = 0 if value is None else integer(value, name)
    if not 0 <= result < 2**63:
        raise ArgumentError(f"{name}: expected 0 or more, below 2**63, found {result}")
    return result
