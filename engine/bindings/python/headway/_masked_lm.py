"""Texts with gaps to the tokens that fill them: a masked language model."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from . import _headway
from ._arguments import one_or_more_texts, positive, token
from ._headway import CancelToken
from ._text_model import TextModel


class FilledToken(NamedTuple):
    """score: probability, 0 to 1."""

    id: int
    text: str
    score: float


class MaskedLM(TextModel):
    """A model directory as AutoModelForMaskedLM of transformers reads it.

    Where a text has several masks, what fills one takes no account of what fills the others.
    """

    _native = _headway.MaskedLM
    _model: _headway.MaskedLM

    @property
    def mask_token(self) -> str:
        """The token that stands for a gap: "[MASK]", "<mask>"."""
        return self._model.mask_token()

    # list[list[FilledToken]] | list[list[list[FilledToken]]] would make callers ask which of them it is.
    def fill_mask(self, texts: str | Iterable[str], *, top_k: int = 5, cancel: CancelToken | None = None) -> Any:
        """For each text and each mask token in it the `top_k` likeliest tokens, the best first:
        list[list[list[FilledToken]]]; of a single str, list[list[FilledToken]].

        A text that has no mask token before the limit raises ArgumentError.
        cancel: ends the call with an Error when another thread asks for it.
        """
        filled = self._model.fill_mask(one_or_more_texts(texts), positive(top_k, "top_k"), token(cancel))
        tokens = [[[FilledToken(*entry) for entry in mask] for mask in of_text] for of_text in filled]
        return tokens[0] if isinstance(texts, str) else tokens
