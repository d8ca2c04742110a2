#!/usr/bin/env python3
"""Writes tests/golden/heads/: tiny random models with each head of each architecture, as transformers runs them.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_heads.py

Each folder, named after model_type and head, holds config.json, model.safetensors, and expected.json: {"ids": [...],
"logits": [[...], ...]} of one sequence; a row a token, or one row where a whole sequence is classified.
"""
import json
import pathlib
import shutil

import torch
import transformers

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests/golden/heads"
HEADS = {"sequence": "SequenceClassification", "token": "TokenClassification", "masked": "MaskedLM"}
SIZES = dict(vocab_size=40, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
             max_position_embeddings=20, initializer_range=0.4, pad_token_id=1, bos_token_id=2, eos_token_id=3,
             cls_token_id=2, sep_token_id=3)
DISTILBERT = dict(vocab_size=40, dim=8, n_layers=1, n_heads=2, hidden_dim=16, max_position_embeddings=20,
                  initializer_range=0.4)
MODELS = {
    "albert": ("Albert", SIZES | {"embedding_size": 4}),
    "bert": ("Bert", SIZES),
    "camembert": ("Camembert", SIZES),
    "distilbert": ("DistilBert", DISTILBERT),
    "electra": ("Electra", SIZES | {"embedding_size": 4}),
    "modernbert": ("ModernBert", SIZES | {"classifier_pooling": "mean", "global_attn_every_n_layers": 1}),
    "modernbert-cls": ("ModernBert", SIZES | {"classifier_pooling": "cls", "classifier_bias": True, "norm_bias": True}),
    "mpnet": ("MPNet", SIZES),
    "nomic_bert": ("NomicBert", SIZES),
    "roberta": ("Roberta", SIZES),
    "xlm-roberta": ("XLMRoberta", SIZES),
}
IDS = [2, 5, 9, 39, 7, 30, 11, 3]


def main():
    shutil.rmtree(GOLDEN, ignore_errors=True)
    torch.manual_seed(11)
    for name, (prefix, sizes) in MODELS.items():
        config = getattr(transformers, prefix + "Config")
        for head, kind in HEADS.items():
            labels = {} if head == "masked" else {"num_labels": 3}
            model = getattr(transformers, f"{prefix}For{kind}")(config(**sizes, **labels)).eval()
            for key, parameter in model.named_parameters():  # biases and norms are 0 and 1 else
                if parameter.dim() == 1:
                    torch.nn.init.normal_(parameter, mean=1.0 if "norm" in key.lower() else 0.0, std=0.3)
            folder = GOLDEN / f"{name}-{head}"
            model.save_pretrained(folder)
            (folder / "generation_config.json").unlink(missing_ok=True)
            with torch.inference_mode():
                logits = model(torch.tensor([IDS])).logits.reshape(-1, model.config.vocab_size if head == "masked" else 3)
            rows = [[round(value, 6) for value in row] for row in logits.double().tolist()]
            (folder / "expected.json").write_text(json.dumps({"ids": IDS, "logits": rows}) + "\n")


if __name__ == "__main__":
    main()
