# What peers without a text front end of their own share: tokenizing, batches of like lengths, mean pooling.
import os

import numpy as np
import tokenizers

LIMIT = 256  # tokens: max_seq_length of all-MiniLM-L6-v2


class Batches:
    """Tokenizes all texts of a call at once (the Rust tokenizer, on RAYON_NUM_THREADS threads), then cuts them,
    longest first, into batches of like lengths, so that little is padded."""

    def __init__(self, model):
        self.tokenizer = tokenizers.Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LIMIT)

    def __call__(self, texts, size):
        """Yields (indices of texts, their ids)."""
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(ids)), key=lambda text: -len(ids[text]))
        for start in range(0, len(order), size):
            batch = order[start : start + size]
            yield batch, [ids[text] for text in batch]


def padded(ids):
    """ids and mask, int64 [texts, longest]."""
    longest = max(map(len, ids))
    table = np.zeros((len(ids), longest), dtype=np.int64)
    mask = np.zeros_like(table)
    for row, text in enumerate(ids):
        table[row, : len(text)] = text
        mask[row, : len(text)] = 1
    return table, mask


def mean_pooled(hidden, lengths):
    """hidden [texts, longest, D], to vectors of length 1."""
    mask = np.arange(hidden.shape[1])[None, None, :] < np.asarray(lengths)[:, None, None]
    sums = (mask.astype(np.float32) @ hidden)[:, 0]  # the length of the mean is lost in normalizing anyway
    return sums / np.linalg.norm(sums, axis=1, keepdims=True)
