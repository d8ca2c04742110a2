#!/usr/bin/env python3
"""Writes tests/golden/tokens/: small random models with a head for tokens and one for masks, as transformers' pipelines run them.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_tokens.py

Each folder is a directory that AutoModelForTokenClassification and AutoModelForMaskedLM both open, and expected.json in it
says what the pipelines token-classification and fill-mask make of which texts:

    entities  by aggregation strategy, for each of `texts` [label, score, word, start, end] each; with "none" no label is
              ignored. start and end count characters.
    masks     for each of `masked` and each mask in it [id, token, score] of the TOP_K best
"""
import json
import pathlib
import shutil

import torch
import transformers
from safetensors.torch import load_file, save_file

import tiny_reference
from make_golden_classes import roberta_json, xlm_json

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests/golden/tokens"
LIMIT, TOP_K = 24, 3
SIZES = dict(hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, max_position_embeddings=40)
TEXTS = ["", " ", "a", "the hello world, the cat", "Jim Smith lives in Zürich (CH).", "unaffable  the\tworld\nhello",
         "東京 naïve e\u0301 — 😀 ok", "the {sep} cat {mask} sat", "O'Neil doesn't: i.e. 3.14!", "the cat sat hello " * 9]
MASKED = ["{mask}", "the {mask} sat.", "the {mask} and {mask}{mask} é", "hello {mask} " + "the cat " * 20]


def bert(folder):
    tiny_reference.write_vocabulary(folder)
    return transformers.BertTokenizerFast.from_pretrained(folder)


def of_file(content, cls):
    def make(folder):
        (folder / "tokenizer.json").write_text(content)
        return cls(tokenizer_file=str(folder / "tokenizer.json"), mask_token="<mask>", sep_token="</s>", cls_token="<s>",
                   pad_token="<pad>")
    return make


def around(first, last):
    special = {token: {"id": token, "ids": [i], "tokens": [token]} for token, i in ((first, 0), (last, 2))}
    return {"type": "TemplateProcessing", "special_tokens": special, "pair": [],
            "single": [{"SpecialToken": {"id": first, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": last, "type_id": 0}}]}


# ModernBERT's tokenizer is taken as its file is, and its offsets have the space before a word.
MODERN_JSON = json.dumps(json.loads(roberta_json()) | {"post_processor": around("<s>", "</s>")})
# The seeds are those with which every label is found.
MODELS = {
    "bert": ("Bert", {}, bert, ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"], 30),
    "modernbert": ("ModernBert", {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "cls_token_id": 0, "sep_token_id": 2},
                   of_file(MODERN_JSON, transformers.PreTrainedTokenizerFast), ["I-PER", "O", "I-X-Y"], 1),
    "roberta": ("Roberta", {"pad_token_id": 1}, of_file(roberta_json(), transformers.RobertaTokenizerFast), ["NOUN", "VERB", "O"], 1),
    "xlm-roberta": ("XLMRoberta", {"pad_token_id": 1}, of_file(xlm_json(), transformers.XLMRobertaTokenizerFast),
                    ["B-O", "I-A", "B-A", "other-A"], 2),
}


def save_model(folder, prefix, fields, tokenizer, labels):
    config = getattr(transformers, prefix + "Config")(vocab_size=len(tokenizer), id2label=dict(enumerate(labels)), **SIZES, **fields)
    masked = getattr(transformers, prefix + "ForMaskedLM")(config)
    tokens = getattr(transformers, prefix + "ForTokenClassification")(config)
    for model in masked, tokens:
        for key, parameter in model.named_parameters():
            mean = 1.0 if parameter.dim() == 1 and "norm" in key.lower() and key.endswith("weight") else 0.0
            torch.nn.init.normal_(parameter, mean=mean, std=0.3 if parameter.dim() == 1 else 0.7)
    masked.save_pretrained(folder)
    head = {key: value for key, value in tokens.state_dict().items() if key.startswith("classifier.")}
    save_file(load_file(folder / "model.safetensors") | head, folder / "model.safetensors", {"format": "pt"})
    (folder / "generation_config.json").unlink(missing_ok=True)


def expect_clear(scores):
    """Scores so near to each other that rounding decides which is first test nothing."""
    best = scores.topk(2).values
    assert (best[..., 0] - best[..., 1]).min() > 1e-4


def entities(folder, texts):
    pipe = transformers.pipeline("token-classification", model=str(folder), device="cpu")
    for text in texts:
        expect_clear(pipe.model(**pipe.tokenizer(text, return_tensors="pt", truncation=True)).logits.softmax(-1))
    result = {}
    for strategy in "none", "simple", "first", "average", "max":
        ignored = {"ignore_labels": []} if strategy == "none" else {}
        result[strategy] = [[[entity.get("entity_group", entity.get("entity")), round(float(entity["score"]), 6),
                              entity["word"], entity["start"], entity["end"]] for entity in found]
                            for found in pipe(texts, aggregation_strategy=strategy, **ignored)]
    assert {label for found in result["none"] for label, *_ in found} == set(pipe.model.config.id2label.values())
    return result


def masks(folder, texts):
    pipe = transformers.pipeline("fill-mask", model=str(folder), device="cpu", tokenizer_kwargs={"truncation": True})
    result = []
    for text in texts:
        found = pipe(text, top_k=TOP_K + 1)
        found = found if isinstance(found[0], list) else [found]
        for mask in found:
            scores = [entry["score"] for entry in mask]
            assert min(a - b for a, b in zip(scores, scores[1:])) > 1e-5
        result.append([[[entry["token"], entry["token_str"], round(entry["score"], 6)] for entry in mask[:TOP_K]] for mask in found])
    return result


def main():
    shutil.rmtree(GOLDEN, ignore_errors=True)
    transformers.logging.set_verbosity_error()
    for name, (prefix, fields, make_tokenizer, labels, seed) in MODELS.items():
        torch.manual_seed(seed)
        folder = GOLDEN / name
        folder.mkdir(parents=True)
        tokenizer = make_tokenizer(folder)
        tokenizer.model_max_length = LIMIT
        save_model(folder, prefix, fields, tokenizer, labels)
        tokenizer.save_pretrained(folder)
        (folder / "vocab.txt").unlink(missing_ok=True)
        names = {"sep": tokenizer.sep_token, "mask": tokenizer.mask_token}
        texts, masked = ([text.format(**names) for text in group] for group in (TEXTS, MASKED))
        with torch.inference_mode():
            expected = {"texts": texts, "entities": entities(folder, texts), "masked": masked, "masks": masks(folder, masked)}
        (folder / "expected.json").write_text(json.dumps(expected, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
