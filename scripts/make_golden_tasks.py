#!/usr/bin/env python3
"""Writes tests/golden/tasks/: small random models for tasks on texts, as sentence-transformers and transformers run them.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_tasks.py

Each folder is a model directory, and expected.json in it says what the reference makes of which texts.
"""
import json
import pathlib
import shutil

import torch
import transformers
from sentence_transformers import CrossEncoder
from transformers import BertForSequenceClassification

import tiny_reference

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests/golden/tasks"
QUERY = "what is a cat?"
DOCUMENTS = ["", "the cat sat.", "hello world", "how are you, cat? " * 9, "a", "z " * 40, "The Cat is a cat!"]


def write(name, expected):
    (GOLDEN / name / "expected.json").write_text(json.dumps(expected) + "\n")


def numbers(values):
    return [round(float(value), 7) for value in values]


def reranker(name, change=None, **arguments):
    with tiny_reference.transformer(BertForSequenceClassification, num_labels=1) as directory:
        CrossEncoder(directory, **arguments).save(str(GOLDEN / name), create_model_card=False)
    if change:
        change(GOLDEN / name)
    model = CrossEncoder(str(GOLDEN / name), device="cpu")
    scores = [numbers(model.predict([(query, document) for document in DOCUMENTS])) for query in (QUERY, "z " * 50)]
    write(name, {"queries": [QUERY, "z " * 50], "documents": DOCUMENTS, "scores": scores})


def as_before_version_4(folder):
    """One directory without modules.json, the activation in config.json."""
    for file in ("modules.json", "sentence_bert_config.json", "config_sentence_transformers.json"):
        (folder / file).unlink()
    config = json.loads((folder / "config.json").read_text())
    config["sbert_ce_default_activation_function"] = "torch.nn.modules.linear.Identity"
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def main():
    shutil.rmtree(GOLDEN, ignore_errors=True)
    torch.manual_seed(13)
    transformers.logging.set_verbosity_error()
    reranker("reranker", prompts={"ask": "query: "}, default_prompt_name="ask")
    reranker("reranker-identity", as_before_version_4)


if __name__ == "__main__":
    main()
