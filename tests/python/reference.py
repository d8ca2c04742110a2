# Attention in double precision, as ONNX (Attention, opset 25) words it.
import math

import numpy as np


def softmax(scores):
    """Over the last axis; a row of -inf gives zeros."""
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    powers = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = powers.sum(axis=-1, keepdims=True)
    return np.divide(powers, total, out=np.zeros_like(powers), where=total > 0)


def attention(q, k, v, *, mask=None, is_causal=False, scale=None, softcap=0.0, past_key=None, past_value=None,
              key_lengths=None, left_window=None, right_window=None):
    """(y, present key, present value, {stage: scores}); key lengths must leave no key out of range."""
    q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
    past = 0
    if past_key is not None:
        past = past_key.shape[2]
        k = np.concatenate([past_key, k], axis=2)
        v = np.concatenate([past_value, v], axis=2)
    present = k, v
    groups = q.shape[1] // k.shape[1]
    k, v = (np.repeat(x, groups, axis=1) for x in (k, v))
    stages = {}
    stages["raw"] = (q @ k.swapaxes(2, 3)) * (1 / math.sqrt(q.shape[3]) if scale is None else scale)
    stages["softcap"] = softcap * np.tanh(stages["raw"] / softcap) if softcap > 0 else stages["raw"]
    scores = stages["softcap"].copy()
    queries, keys = scores.shape[2:]
    for b in range(len(scores)):
        length = keys if key_lengths is None else key_lengths[b]
        offset = past if key_lengths is None else length - queries
        position = np.arange(queries)[:, None] + offset
        j = np.arange(keys)[None, :]
        hidden = np.broadcast_to(j >= length, (queries, keys)).copy()
        if is_causal:
            hidden |= j > position
        if left_window is not None:
            hidden |= j < position - left_window
        if right_window is not None:
            hidden |= j > position + right_window
        scores[b][:, hidden] = -np.inf
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    stages["bias"] = scores
    stages["weights"] = softmax(scores)
    return stages["weights"] @ v, *present, stages
