"""Texts to ids and back, as the files of a model directory say."""

import os
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _headway
from ._arguments import integers, optional_integer, path_bytes, text, text_list
from ._errors import ArgumentError


class Encoding(NamedTuple):
    """The T tokens of a text, or of two that go together.

    ids: int32 [T]. type_ids: int32 [T], the segment that models of BERT's kind take each token for; 0 for a single text.
    offsets: int64 [T, 2], from which character of the text to before which each token comes from, where asked for.
    texts: int32 [T], where offsets are asked for: 0 for the first text, 1 for the second, -1 for special tokens around
    them. truncated: whether there was more than max_length.
    """

    ids: NDArray[np.int32]
    type_ids: NDArray[np.int32]
    offsets: NDArray[np.int64] | None
    texts: NDArray[np.int32] | None
    truncated: bool


_Strategy = Literal["longest_first", "only_first", "only_second"]
_Side = Literal["right", "left"]


class Tokenizer:
    """The ids are those of the library `tokenizers`, after what transformers does to it when it opens the same directory;
    the C++ header headway/tokenizer.hpp says which components are known. Any number of threads may use one Tokenizer at
    once. Pickling one stores the path, which is opened anew.
    """

    def __init__(self, path: str | os.PathLike[str], *, lower_case: bool = False) -> None:
        """path: a directory with tokenizer.json or vocab.txt, or a tokenizer.json, which is read as it is, without what
            stands beside it.
        lower_case: lowercase texts before all else, where nothing that the files say does.

        Raises Error naming the file and the field for what is missing, damaged or not supported.
        """
        self._arguments = (path, lower_case)
        self._tokenizer = _headway.Tokenizer.open(path_bytes(path, "path"), bool(lower_case))

    def encode(
        self,
        text: str,
        pair: str | None = None,
        *,
        max_length: int | None = None,
        add_special_tokens: bool = True,
        encode_special_tokens: bool = False,
        strategy: _Strategy = "longest_first",
        side: _Side | None = None,
        offsets: bool = False,
    ) -> Encoding:
        """One text, or two as one sequence.

        max_length: ids at most, special tokens included; more than that is dropped. By default there is no limit.
        add_special_tokens: put the model's special tokens around the text.
        encode_special_tokens: treat special tokens that stand in the text as text.
        strategy: which text of a pair is cut. side: where texts are cut, by default what the files say.
        offsets: say where tokens come from, which takes several times as long.
        """
        given = _options(max_length, add_special_tokens, encode_special_tokens, strategy, side, offsets)
        firsts, seconds = _single(text, pair)
        (encoding,) = self._tokenizer.encode(firsts, seconds, None, *given)
        return Encoding(*encoding)

    def encode_batch(
        self,
        texts: Iterable[str | tuple[str, str]],
        *,
        max_length: int | None = None,
        add_special_tokens: bool = True,
        encode_special_tokens: bool = False,
        strategy: _Strategy = "longest_first",
        side: _Side | None = None,
        offsets: bool = False,
    ) -> list[Encoding]:
        """Each of the texts, or each of the pairs. Options as for `encode`."""
        items = text_list(texts, "texts")
        seconds: list[Any] = []
        if items and isinstance(items[0], (tuple, list)):
            for i, item in enumerate(items):
                if not isinstance(item, (tuple, list)) or len(item) != 2:
                    raise TypeError(f"texts[{i}]: expected two texts, as texts[0] is")
            items, seconds = [item[0] for item in items], [item[1] for item in items]
        given = _options(max_length, add_special_tokens, encode_special_tokens, strategy, side, offsets)
        return [Encoding(*encoding) for encoding in self._tokenizer.encode(items, seconds, None, *given)]

    def encode_windows(
        self,
        text: str,
        pair: str | None = None,
        *,
        max_length: int,
        stride: int = 0,
        add_special_tokens: bool = True,
        encode_special_tokens: bool = False,
        strategy: _Strategy = "longest_first",
        side: _Side | None = None,
        offsets: bool = False,
    ) -> list[Encoding]:
        """All of a text that is longer than max_length: the first window is what `encode` gives, each further one shares
        `stride` ids with the one before. Of a pair, each window of the one text meets each of the other, if both are cut.
        Options as for `encode`. The library `tokenizers` calls all but the first `overflowing`."""
        shared = optional_integer(stride, "stride")
        given = _options(max_length, add_special_tokens, encode_special_tokens, strategy, side, offsets)
        firsts, seconds = _single(text, pair)
        return [Encoding(*encoding) for encoding in self._tokenizer.encode(firsts, seconds, shared or 0, *given)]

    def decode(self, ids: Any, *, skip_special_tokens: bool = True) -> str:
        """The text of ids, a sequence or an array: their tokens, put together as the files say. Ids without a token are
        left out."""
        return self._tokenizer.decode(_ids(ids), bool(skip_special_tokens))

    def token_to_id(self, token: str) -> int | None:
        return self._tokenizer.token_to_id(text(token, "token"))

    def id_to_token(self, id: int) -> str | None:
        (checked,) = _ids([id])
        return self._tokenizer.id_to_token(checked)

    def special_token(self, role: str) -> int | None:
        """The id of the token that the files, or the tokenizer's class, have for a role: "mask_token", "pad_token"."""
        return self._tokenizer.special_token(text(role, "role"))

    @property
    def vocab_size(self) -> int:
        """One more than the greatest id: the rows an embedding table needs."""
        return self._tokenizer.vocab_size()

    @property
    def special_tokens(self) -> int:
        """How many special tokens `encode` puts around a text."""
        return self._tokenizer.special_tokens()

    @property
    def pair_special_tokens(self) -> int:
        """How many it puts around two."""
        return self._tokenizer.pair_special_tokens()

    @property
    def model_max_length(self) -> int | None:
        """`model_max_length` of tokenizer_config.json; None when it is missing or means "no limit"."""
        return self._tokenizer.model_max_length()

    def __reduce__(self) -> Any:
        return _open, self._arguments

    def __repr__(self) -> str:
        return f"headway.Tokenizer({os.fspath(self._arguments[0])!r})"


def _open(path: Any, lower_case: bool) -> Tokenizer:
    return Tokenizer(path, lower_case=lower_case)


def _single(first: Any, second: Any) -> tuple[list[str], list[str]]:
    return [text(first, "text")], [] if second is None else [text(second, "pair")]


def _ids(ids: Any) -> list[int]:
    result = integers(ids, "ids")
    for i, value in enumerate(result):
        if not -(2**31) <= value < 2**31:
            raise ArgumentError(f"ids[{i}]: expected an id of 32 bits, found {value}")
    return result


def _options(
    max_length: int | None,
    add_special_tokens: bool,
    encode_special_tokens: bool,
    strategy: str,
    side: str | None,
    offsets: bool,
) -> tuple[int | None, bool, bool, str, str | None, bool]:
    return (
        optional_integer(max_length, "max_length"),
        bool(add_special_tokens),
        bool(encode_special_tokens),
        text(strategy, "strategy"),
        None if side is None else text(side, "side"),
        bool(offsets),
    )
