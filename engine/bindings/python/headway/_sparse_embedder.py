"""Texts to sparse vectors over the vocabulary: SPLADE."""

import operator
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _headway
from ._arguments import one_or_more_texts, prompts, token
from ._headway import CancelToken
from ._text_model import TextModel


class SparseVector(NamedTuple):
    """The numbers above 0 of one vector: indices, int32 [k], ascending ids of tokens; values, float32 [k]."""

    indices: NDArray[np.int32]
    values: NDArray[np.float32]


class SparseVectors:
    """Vectors [n, dim] in one matrix of the form CSR; `len`, `[i]` and iteration give each as a SparseVector.

    indptr: int64 [n + 1]; the numbers of vector i are those from indptr[i] up to indptr[i + 1] in
    indices, int32, and data, float32. scipy takes them without a copy of the numbers:

        scipy.sparse.csr_array((vectors.data, vectors.indices, vectors.indptr), vectors.shape)
    """

    def __init__(
        self, indptr: NDArray[np.int64], indices: NDArray[np.int32], data: NDArray[np.float32], dim: int
    ) -> None:
        self.indptr = indptr
        self.indices = indices
        self.data = data
        self.shape = (len(indptr) - 1, dim)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: int) -> SparseVector:
        row = range(len(self))[operator.index(index)]
        numbers = slice(self.indptr[row], self.indptr[row + 1])
        return SparseVector(self.indices[numbers], self.data[numbers])

    def __iter__(self) -> Iterator[SparseVector]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        return f"<headway.SparseVectors {list(self.shape)}, {len(self.data)} numbers>"


class SparseEmbedder(TextModel):
    """A model directory as SparseEncoder of sentence-transformers reads it: a masked language model, pooled by the
    maximum (SPLADE)."""

    _native = _headway.SparseEmbedder
    _model: _headway.SparseEmbedder

    # SparseVector | SparseVectors would make callers ask which of them it is.
    def encode(
        self,
        texts: str | Iterable[str],
        *,
        prompt: str | None = None,
        prompt_name: str | None = None,
        cancel: CancelToken | None = None,
    ) -> Any:
        """SparseVectors; of a single str, its SparseVector.

        prompt, prompt_name, cancel: as those of `headway.Embedder.encode`.
        """
        given = one_or_more_texts(texts)
        csr = self._model.embed(given, *prompts(prompt, prompt_name), token(cancel))
        vectors = SparseVectors(*csr, self.info.dim)
        return vectors[0] if isinstance(texts, str) else vectors
