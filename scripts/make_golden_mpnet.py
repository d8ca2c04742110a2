#!/usr/bin/env python3
"""Writes tests/golden/mpnet/embeddings.npy: all-mpnet-base-v2 as the reference runs it.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_mpnet.py MODEL_DIRECTORY

MODEL_DIRECTORY is all-mpnet-base-v2 (scripts/get_model.sh all-mpnet-base-v2). The vectors, float32 [texts, 768] by
SentenceTransformer.encode on the CPU, are those of every 32nd text of tests/golden/minilm/texts.jsonl and of the last
eight, of which some are beyond the limit of 384 tokens.
"""
import json
import pathlib
import sys

import numpy as np
from sentence_transformers import SentenceTransformer

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests/golden"


def main():
    lines = (GOLDEN / "minilm/texts.jsonl").read_text(encoding="utf-8").rstrip("\n").split("\n")
    texts = [json.loads(line) for line in lines[::32] + lines[-8:]]
    model = SentenceTransformer(sys.argv[1], device="cpu")
    assert model.max_seq_length == 384
    tokens = [len(model.tokenizer(text, truncation=False)["input_ids"]) for text in texts]
    assert min(tokens) <= 3 and max(tokens) > 384, tokens
    embeddings = model.encode(texts, convert_to_numpy=True)
    assert embeddings.dtype == np.float32 and embeddings.shape == (len(texts), 768)
    (GOLDEN / "mpnet").mkdir(exist_ok=True)
    np.save(GOLDEN / "mpnet/embeddings.npy", embeddings)


if __name__ == "__main__":
    main()
