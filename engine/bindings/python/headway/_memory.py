"""What objects that compute say of their memory."""

from typing import NamedTuple


class MemoryUse(NamedTuple):
    """Bytes. packed_weights: of matrices, as the CPU wants them. in_use: of working memory held now. peak: the most
    working memory ever held."""

    packed_weights: int
    in_use: int
    peak: int
