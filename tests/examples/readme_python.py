# Texts to vectors, and attention on arrays, in Python.
import numpy as np

import headway

embedder = headway.Embedder("models/all-MiniLM-L6-v2")
vectors = embedder.encode(["A cat sleeps on the sofa.", "Reset my password"])  # float32 [texts, dim]
print(vectors.shape, vectors[0, 0])

x = np.ones((1, 8, 1000, 64), np.float32)  # [B, H, T, size]; a torch tensor will do too
print(headway.attention(x, x, x, is_causal=True, left_window=256).shape)
