"""Which documents answer a query: a cross-encoder."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _headway
from ._arguments import integer, text, text_list, token
from ._errors import ArgumentError
from ._headway import CancelToken
from ._text_model import TextModel


class RankedDocument(NamedTuple):
    """index: of the document among those given."""

    index: int  # type: ignore[assignment]  # a tuple has a method of that name
    score: float


class Reranker(TextModel):
    """A model for sequence classification with one label, as CrossEncoder of sentence-transformers reads it.

    A score is the label's logit, through a sigmoid unless the files say otherwise; `info.activation` says which.
    """

    _native = _headway.Reranker
    _model: _headway.Reranker

    def score(self, query: str, documents: Iterable[str], *, cancel: CancelToken | None = None) -> NDArray[np.float32]:
        """A score for each document, float32 [n].

        The longer of query and document is cut where both are too long. A default prompt of the model is put before
        the query.
        cancel: ends the call with an Error when another thread asks for it.
        """
        given = text_list(documents, "documents")
        scores = np.empty(len(given), np.float32)
        self._model.score(text(query, "query"), given, scores, token(cancel))
        return scores

    def rank(
        self,
        query: str,
        documents: Iterable[str],
        *,
        top_k: int | None = None,
        cancel: CancelToken | None = None,
    ) -> list[RankedDocument]:
        """The documents by their scores, the best first, equal ones in their order: all of them, or the `top_k` first."""
        if top_k is not None and integer(top_k, "top_k") < 1:
            raise ArgumentError(f"top_k: expected at least 1, found {top_k}")
        scores = self.score(query, documents, cancel=cancel)
        best = np.argsort(-scores, kind="stable")[:top_k]
        return [RankedDocument(int(index), float(scores[index])) for index in best]
