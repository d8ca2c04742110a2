"""Which documents answer a query: a cross-encoder."""

from . import _headway
from ._ranking_model import RankingModel


class Reranker(RankingModel):
    """A model for sequence classification with one label, as CrossEncoder of sentence-transformers reads it.

    A score is the label's logit, through a sigmoid unless the files say otherwise; `info.activation` says which. The
    longer of query and document is cut where both are too long. A default prompt of the model is put before the query.
    """

    _native = _headway.Reranker
    _model: _headway.Reranker
