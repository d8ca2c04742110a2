"""What models that score documents have in common."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._arguments import positive, text, text_list, token
from ._headway import CancelToken
from ._text_model import TextModel


class RankedDocument(NamedTuple):
    """index: of the document among those given."""

    index: int  # type: ignore[assignment]  # a tuple has a method of that name
    score: float


class RankingModel(TextModel):
    def score(self, query: str, documents: Iterable[str], *, cancel: CancelToken | None = None) -> NDArray[np.float32]:
        """A score for each document, float32 [n].

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
        kept = None if top_k is None else positive(top_k, "top_k")
        scores = self.score(query, documents, cancel=cancel)
        best = np.argsort(-scores, kind="stable")[:kept]
        return [RankedDocument(int(index), float(scores[index])) for index in best]
