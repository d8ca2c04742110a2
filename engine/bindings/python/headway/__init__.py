"""Headway: transformer layers and sentence embeddings on CPUs.

    embedder = headway.Embedder("models/all-MiniLM-L6-v2")
    vectors = embedder.encode(["A cat sleeps on the sofa.", "Reset my password"])  # float32 [2, 384]

Reranker, Classifier, TokenClassifier, MaskedLM, SparseEmbedder and MultiVectorEmbedder open model directories for other
tasks in the same way.

Arrays go in as numpy arrays or as those of any library that speaks DLPack (torch, jax), without a copy where their
layout allows it; they come out as numpy arrays, which `torch.from_numpy` takes without a copy. Everything here may be
used from any number of threads at once; the interpreter's lock is released while the library works. Ctrl-C ends a call
of the main thread, and a `CancelToken` that of any other, within a tenth of a second. An object may go while threads
still call it: the calls keep it. What goes wrong raises `headway.Error`, or a TypeError, and the message names the
argument.

Threads (`threads=`) and working memory (`memory=`) are limits of one object, kept whatever number of threads calls it;
objects of one process share its cores. The C++ header headway/engine.hpp has the whole contract.
"""

from ._attention import AttentionOutput, attention
from ._classifier import Classifier
from ._embedder import Embedder
from ._errors import ArgumentError, Error
from ._headway import CancelToken, version
from ._masked_lm import FilledToken, MaskedLM
from ._memory import MemoryUse
from ._multi_head import MultiHead
from ._multi_vector_embedder import MultiVectorEmbedder
from ._ranking_model import RankedDocument
from ._reranker import Reranker
from ._sparse_embedder import SparseEmbedder, SparseVector, SparseVectors
from ._text_model import ModelInfo
from ._token_classifier import Entity, TokenClassifier
from ._tokenizer import Encoding, Tokenizer

__version__: str = version()
__all__ = [
    "ArgumentError",
    "AttentionOutput",
    "CancelToken",
    "Classifier",
    "Embedder",
    "Encoding",
    "Entity",
    "Error",
    "FilledToken",
    "MaskedLM",
    "MemoryUse",
    "ModelInfo",
    "MultiHead",
    "MultiVectorEmbedder",
    "RankedDocument",
    "Reranker",
    "SparseEmbedder",
    "SparseVector",
    "SparseVectors",
    "TokenClassifier",
    "Tokenizer",
    "attention",
]
