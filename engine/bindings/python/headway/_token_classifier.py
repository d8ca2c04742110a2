"""Texts to entities in them: a model for token classification."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from . import _headway
from ._arguments import one_or_more_texts, text, text_list, token
from ._headway import CancelToken
from ._text_model import TextModel


class Entity(NamedTuple):
    """A labelled stretch of a text, text[start:end].

    label: as the model names it; aggregated ones without what is before its first "-". score: probability, the mean
    over what was put together. word: its tokens put together.
    """

    label: str
    score: float
    word: str
    start: int
    end: int


class TokenClassifier(TextModel):
    """A model directory as AutoModelForTokenClassification of transformers reads it."""

    _native = _headway.TokenClassifier
    _model: _headway.TokenClassifier

    @property
    def labels(self) -> list[str]:
        return self.info.labels

    # list[Entity] | list[list[Entity]] would make callers ask which of them it is.
    def classify(
        self,
        texts: str | Iterable[str],
        *,
        aggregation: Literal["none", "simple", "first", "average", "max"] = "none",
        ignored_labels: Iterable[str] = ("O",),
        cancel: CancelToken | None = None,
    ) -> Any:
        """The entities of each text, in the order in which they stand there: list[list[Entity]]; of a single str,
        list[Entity].

        aggregation: how tokens become entities, as in the reference's pipeline. "none": each is one. "simple":
            neighbours of one label are one; a label that starts with "B-" begins another. "first", "average", "max":
            as "simple", of words, which have the label of their first token, of the greatest mean score over their
            tokens, or of their token with the greatest score.
        ignored_labels: entities of these are left out.
        cancel: ends the call with an Error when another thread asks for it.
        """
        given = one_or_more_texts(texts)
        ignored = [text(label, "ignored_labels") for label in text_list(ignored_labels, "ignored_labels")]
        found = self._model.classify(given, text(aggregation, "aggregation"), ignored, token(cancel))
        entities = [[Entity(*entity) for entity in of_text] for of_text in found]
        return entities[0] if isinstance(texts, str) else entities
