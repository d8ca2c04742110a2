#!/usr/bin/env python3
"""Writes tests/golden/tokenizer/pairs.jsonl: what the reference makes of pairs and of texts that are too long.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_pairs.py

One tokenizer a line: a post-processor for the tokenizer of tests/text/small_tokenizer.hpp, or a directory as
transformers' own classes read it. A case is [first, second or null, max_length or null, strategy, direction,
add_special_tokens, ids, type ids]; ids are null where the reference refuses.
"""
import itertools
import json
import pathlib
import random
import tempfile

from tokenizers import Tokenizer
from transformers import AutoTokenizer

from make_golden_classes import roberta_json, xlm_json
from make_golden_tokenizer import OUTPUT, SPECIAL, TEMPLATE, VOCAB, token, tokenizer_json

# As in tests/text/small_tokenizer.hpp.
SMALL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "un", "##aff", "##able", "a", "##a", "b", "##b", ",", "[", "]",
         "e", "##e", "mask"]
TEXTS = ["", "a", "hello b", "hello a unaffable [MASK] b", "b,b,b,b,b", "unaffable unaffable"]


def small_json(post_processor):
    added = [token(t, SMALL.index(t), special=True) for t in ("[CLS]", "[SEP]", "[MASK]")]
    return tokenizer_json(added, model=dict(vocab={t: i for i, t in enumerate(SMALL)}), post_processor=post_processor)


def template(single, pair):
    def pieces(text):
        for piece in text.split():
            name, type_id = piece.split(":")
            kind = "Sequence" if name in "AB" else "SpecialToken"
            yield {kind: {"id": name, "type_id": int(type_id)}}

    specials = {"[CLS]": [2], "[SEP]": [3], "two": [4, 3]}
    return {"type": "TemplateProcessing", "single": list(pieces(single)), "pair": list(pieces(pair)),
            "special_tokens": {k: {"id": k, "ids": v, "tokens": [SMALL[i] for i in v]} for k, v in specials.items()}}


def sequence(*processors):
    return {"type": "Sequence", "processors": list(processors)}


BERT = {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}
ROBERTA = {"type": "RobertaProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2], "trim_offsets": True, "add_prefix_space": False}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
USUAL = template("[CLS]:0 A:0 [SEP]:0", "[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1")
PROCESSORS = {
    "none": None,
    "BertProcessing": BERT,
    "RobertaProcessing": ROBERTA,
    "ByteLevel": BYTE_LEVEL,
    "TemplateProcessing": USUAL,
    "the second text first": template("A:0 two:0", "B:2 [SEP]:1 A:3 two:4"),
    "ByteLevel and TemplateProcessing": sequence(BYTE_LEVEL, USUAL, BYTE_LEVEL),
    "BertProcessing twice": sequence(BERT, sequence(BERT)),
    "BertProcessing and RobertaProcessing": sequence(BERT, ROBERTA),
    "RobertaProcessing and TemplateProcessing": sequence(ROBERTA, template("A:0 [SEP]:0", "B:1 A:2")),
}


def cases(tokenizer, count):
    tokenizer.no_padding()
    rng = random.Random(count)
    usual = [(a, b, None, "longest_first", "right", True) for a, b in zip(TEXTS, [None, *TEXTS[::-1]])]
    every = itertools.product(TEXTS, [None, *TEXTS], range(12), ["longest_first", "only_first", "only_second"], ["right", "left"],
                              [True, False])
    for first, second, length, strategy, direction, special in usual + rng.sample(list(every), count):
        tokenizer.no_truncation()
        added = tokenizer.num_special_tokens_to_add(second is not None) if special else 0
        if length is not None:
            length += added  # below that the reference panics
            tokenizer.enable_truncation(length, strategy=strategy, direction=direction)
        try:
            encoding = tokenizer.encode(first, second, add_special_tokens=special)
            result = [encoding.ids, encoding.type_ids]
        except Exception:
            result = [None, None]
        yield [first, second, length, strategy, direction, special, *result]


def through_transformers(files):
    with tempfile.TemporaryDirectory() as folder:
        for file, text in files.items():
            pathlib.Path(folder, file).write_text(text, encoding="utf-8")
        return AutoTokenizer.from_pretrained(folder).backend_tokenizer


def directories():
    """Classes whose pairs are not those of the file."""
    def config(name, **fields):
        return json.dumps({"tokenizer_class": name, **fields})

    other = dict(TEMPLATE, single=[{"Sequence": {"id": "A", "type_id": 0}}])
    names = {"[PAD]": "<pad>", "[CLS]": "<s>", "[SEP]": "</s>", "[MASK]": "<mask>"}
    mpnet = tokenizer_json([dict(t, content=names.get(t["content"], t["content"])) for t in SPECIAL],
                           model=dict(vocab={names.get(t, t): i for t, i in VOCAB.items()}), post_processor=None)
    yield "BertTokenizer", {"tokenizer.json": tokenizer_json(post_processor=other), "tokenizer_config.json": config("BertTokenizer")}
    yield "MPNetTokenizer", {"tokenizer.json": mpnet, "tokenizer_config.json": config("MPNetTokenizer")}
    yield "RobertaTokenizer", {"tokenizer.json": roberta_json(), "tokenizer_config.json": config("RobertaTokenizer")}
    yield "XLMRobertaTokenizer", {"tokenizer.json": xlm_json(), "tokenizer_config.json": config("XLMRobertaTokenizer")}


def main():
    with open(OUTPUT / "pairs.jsonl", "w", encoding="utf-8") as file:
        def write(name, what, tokenizer, count):
            file.write(json.dumps({"name": name, **what, "cases": list(cases(tokenizer, count))}, ensure_ascii=False,
                                  separators=(",", ":")) + "\n")

        for name, processor in PROCESSORS.items():
            write(name, {"post_processor": json.dumps(processor)}, Tokenizer.from_str(small_json(processor)), 60)
        for name, files in directories():
            write(name, {"files": {"config.json": "{}", **files}}, through_transformers(files), 8)


if __name__ == "__main__":
    main()
