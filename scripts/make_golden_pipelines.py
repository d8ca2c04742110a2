#!/usr/bin/env python3
"""Writes tests/golden/pipelines/: small random models as sentence-transformers saves and runs them.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_pipelines.py

Each folder is a model directory, and expected.json in it says what encode() makes of some texts:
{"texts": [...], "cases": [{"prompt" | "prompt_name" | "dimensions": ..., "vectors": [[...], ...]}, ...]}. Where the
model normalizes, `dimensions` is truncate_dim with normalize_embeddings.
"""
import json
import pathlib
import shutil

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Dense, Normalize, Transformer
from sentence_transformers.sentence_transformer.modules import Dropout, LayerNorm, Pooling

import tiny_reference

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests/golden/pipelines"
DIM = tiny_reference.DIM
TEXTS = ["", "a", "the cat sat.", "The Cat SAT.", "hello world, how are you?", "z " * 40, "query: what is a cat?"]
ALL_MODES = ("cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken")


def save(name, transformer, modules, cases=({},), prompts=None, default_prompt_name=None, change=None):
    """`change` edits the saved directory, which is then loaded as anybody would."""
    for module in modules:
        for parameter in module.parameters():
            torch.nn.init.normal_(parameter, std=0.4)
    folder = GOLDEN / name
    made = SentenceTransformer(modules=[transformer, *modules], prompts=prompts, default_prompt_name=default_prompt_name)
    made.save(str(folder), create_model_card=False)
    if change:
        change(folder)
    model = SentenceTransformer(str(folder), device="cpu")
    normalizes = isinstance(model[-1], Normalize)
    results = []
    for case in cases:
        arguments = dict(case)
        dimensions = arguments.pop("dimensions", None)
        if dimensions:
            arguments |= {"truncate_dim": dimensions, "normalize_embeddings": normalizes}
        vectors = model.encode(TEXTS, **arguments).astype(np.float64)
        results.append(case | {"vectors": [[round(value, 7) for value in row] for row in vectors.tolist()]})
    (folder / "expected.json").write_text(json.dumps({"texts": TEXTS, "cases": results}) + "\n")


def edit(path, **fields):
    path.write_text(json.dumps(json.loads(path.read_text()) | fields, indent=2) + "\n")


def main():
    shutil.rmtree(GOLDEN, ignore_errors=True)
    torch.manual_seed(7)
    prompts = {"query": "query: ", "empty": ""}
    asked = [{}, {"prompt": "a cat "}, {"prompt_name": "query"}, {"prompt": ""}, {"prompt": "word " * 70}]
    with tiny_reference.transformer() as directory:
        save("modes", Transformer(directory), [Pooling(DIM, ALL_MODES)], asked[:2] + [{"dimensions": 40}])
        # The long prompt leaves no token to pool: for "max" the reference then gives -inf.
        save("without-prompt", Transformer(directory),
             [Pooling(DIM, tuple(mode for mode in ALL_MODES if mode != "max"), include_prompt=False)], asked,
             prompts=prompts)
        save("without-prompt-max", Transformer(directory), [Pooling(DIM, "max", include_prompt=False)], asked[:4],
             prompts=prompts, default_prompt_name="query")
        save("dense", Transformer(directory),
             [Pooling(DIM, ("mean", "cls")), Dropout(), Dense(2 * DIM, 24), LayerNorm(24),
              Dense(24, 12, bias=False, activation_function=torch.nn.GELU()), Normalize()],
             [{}, {"dimensions": 5}, {"prompt_name": "document"}], prompts=prompts, default_prompt_name="query")
        save("residual", Transformer(directory),
             [Pooling(DIM, "mean"), Dense(DIM, 10, activation_function=torch.nn.ReLU(), use_residual=True),
              Normalize(), Dense(10, 10, activation_function=torch.nn.Identity(), use_residual=True)],
             [{}, {"dimensions": 3}])
        tokens = "token_embeddings"
        save("on-tokens", Transformer(directory),
             [Dense(DIM, 12, module_input_name=tokens), Normalize(tokens), Pooling(12, "weightedmean"), Normalize()])
    with tiny_reference.transformer(do_lower_case=False) as directory:
        save("lower-case", Transformer(directory), [Pooling(DIM, "cls")],
             change=lambda folder: edit(folder / "sentence_bert_config.json", do_lower_case=True, max_seq_length=16))


if __name__ == "__main__":
    main()
