"""Texts to a vector for each token, and late interaction between them: ColBERT."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _headway
from ._arguments import floats, one_or_more_texts, prompts, token
from ._errors import ArgumentError
from ._headway import CancelToken
from ._ranking_model import RankingModel


class MultiVectorEmbedder(RankingModel):
    """A model directory as MultiVectorEncoder of sentence-transformers reads it, or PyLate.

    A score is the sum over the query's tokens of the greatest dot product with a token of the document (MaxSim), or
    the mean, where the files say so.
    """

    _native = _headway.MultiVectorEmbedder
    _model: _headway.MultiVectorEmbedder

    # NDArray | list[NDArray] would make callers ask which of them it is.
    def encode_queries(
        self,
        texts: str | Iterable[str],
        *,
        prompt: str | None = None,
        prompt_name: str | None = None,
        cancel: CancelToken | None = None,
    ) -> Any:
        """The vectors of the tokens that are kept, a float32 [tokens, dim] for each text; of a single str, that alone.

        prompt: put before every text, as it is.
        prompt_name: one of `info.prompts`, in place of its text. Without either the prompt named "query".
        cancel: ends the call with an Error when another thread asks for it.
        """
        return self._encode(texts, True, prompt, prompt_name, cancel)

    def encode_documents(
        self,
        texts: str | Iterable[str],
        *,
        prompt: str | None = None,
        prompt_name: str | None = None,
        cancel: CancelToken | None = None,
    ) -> Any:
        """The same of documents; the prompt is by default that named "document"."""
        return self._encode(texts, False, prompt, prompt_name, cancel)

    def similarity(self, query: Any, document: Any) -> float:
        """MaxSim of a query, float32 [tokens, dim], and a document, float32 [tokens, dim], or its mean."""
        return self._model.similarity(self._rows(query, "query"), self._rows(document, "document"))

    def _encode(self, texts: Any, queries: bool, prompt: Any, prompt_name: Any, cancel: Any) -> Any:
        given = one_or_more_texts(texts)
        offsets, values = self._model.embed(given, queries, *prompts(prompt, prompt_name), token(cancel))
        rows = values.reshape(-1, self.info.dim)
        vectors = [rows[begin:end] for begin, end in zip(offsets, offsets[1:])]
        return vectors[0] if isinstance(texts, str) else vectors

    def _rows(self, value: Any, name: str) -> NDArray[np.float32]:
        array = floats(value, name, "[tokens, dim]")
        if array.shape[1] != self.info.dim:
            raise ArgumentError(f"{name}: expected [tokens, {self.info.dim}], found the shape {list(array.shape)}")
        return np.require(array, requirements=["C", "A"])
