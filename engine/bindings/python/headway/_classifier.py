"""Texts to labels: a model for sequence classification."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from . import _headway
from ._arguments import one_or_more_texts, token
from ._headway import CancelToken
from ._text_model import TextModel


class Classifier(TextModel):
    """A model directory as AutoModelForSequenceClassification of transformers reads it.

    Scores are what its pipeline for text classification gives with top_k=None: a softmax over the labels; a sigmoid
    for each where there is one label or a text may have several; the logits themselves for regression.
    `info.activation` says which.
    """

    _native = _headway.Classifier
    _model: _headway.Classifier

    @property
    def labels(self) -> list[str]:
        """In the order of the scores."""
        return self.info.labels

    def classify(self, texts: str | Iterable[str], *, cancel: CancelToken | None = None) -> NDArray[np.float32]:
        """A score for each label, float32 [n, labels]; of a single str, [labels].

        cancel: ends the call with an Error when another thread asks for it.
        """
        given = one_or_more_texts(texts)
        scores = np.empty((len(given), len(self.labels)), np.float32)
        self._model.classify(given, scores, token(cancel))
        return scores[0] if isinstance(texts, str) else scores
