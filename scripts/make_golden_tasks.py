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
from sentence_transformers import CrossEncoder, SparseEncoder
from sentence_transformers.base.modules import Transformer
from sentence_transformers.sparse_encoder.modules import SpladePooling
from transformers import BertForMaskedLM, BertForSequenceClassification

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


def edit(path, **fields):
    path.write_text(json.dumps(json.loads(path.read_text()) | fields, indent=2) + "\n")


def classifier(name, labels, problem=None):
    with tiny_reference.transformer(BertForSequenceClassification, num_labels=len(labels),
                                    id2label=dict(enumerate(labels))) as directory:
        shutil.copytree(directory, GOLDEN / name)
    (GOLDEN / name / "vocab.txt").unlink(missing_ok=True)
    edit(GOLDEN / name / "config.json", problem_type=problem)
    pipe = transformers.pipeline("text-classification", model=str(GOLDEN / name), device="cpu", top_k=None)
    scores = []
    for result in pipe(DOCUMENTS, truncation=True):
        by_label = {entry["label"]: entry["score"] for entry in result}
        scores.append(numbers(by_label[label] for label in labels))
    write(name, {"texts": DOCUMENTS, "labels": labels, "scores": scores})


def sparse(name, activation):
    with tiny_reference.transformer(BertForMaskedLM) as directory:
        encoder = Transformer(directory, transformer_task="fill-mask")
        modules = [encoder, SpladePooling(activation_function=activation)]
        SparseEncoder(modules=modules, prompts={"query": "query: "}).save(str(GOLDEN / name), create_model_card=False)
    model = SparseEncoder(str(GOLDEN / name), device="cpu")
    vectors = model.encode(DOCUMENTS, prompt_name="query", convert_to_sparse_tensor=False)
    write(name, {"texts": DOCUMENTS, "prompt_name": "query", "vectors": [numbers(row) for row in vectors.tolist()]})


def main():
    shutil.rmtree(GOLDEN, ignore_errors=True)
    torch.manual_seed(13)
    transformers.logging.set_verbosity_error()
    reranker("reranker", prompts={"ask": "query: "}, default_prompt_name="ask")
    reranker("reranker-identity", as_before_version_4)
    classifier("classifier", ["bad", "good", "neither"])
    classifier("classifier-multi", ["bad", "good", "neither"], "multi_label_classification")
    classifier("classifier-regression", ["stars"], "regression")
    sparse("sparse", "relu")
    sparse("sparse-twice", "log1p_relu")


if __name__ == "__main__":
    main()
