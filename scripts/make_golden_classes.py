#!/usr/bin/env python3
"""Writes tests/golden/tokenizer/classes.jsonl: directories that transformers' own classes read in their ways.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_classes.py

One directory a line with texts and ids, as in cases.jsonl.
"""
import base64
import json

from tokenizers import pre_tokenizers

import charsmap
from make_golden_steps import byte_level, metaspace, pre_sequence, sequence, step
from make_golden_tokenizer import SPECIAL, VOCAB, through_transformers, token, tokenizer_json, write_cases

NAMES = ["<s>", "<pad>", "</s>", "<unk>"]
MERGES = [("h", "e"), ("Ġ", "t"), ("Ġt", "he"), ("l", "l"), ("he", "ll"), ("hell", "o"), ("Ġ", "hello"), ("Ġ", "w"), ("Ġ", "Ġ")]
PIECES = ["▁", "▁the", "▁hello", "hello", "▁w", "or", "ld", "▁un", "aff", "able", ".", ",", "é", "中", "▁▁", "A", "B", "C"]


def precompiled():
    folded = charsmap.build({"\t": " ", "\u3000": " ", "e\u0301": "\u00e9", "\u212b": "\u00c5"})
    return step("Precompiled", precompiled_charsmap=base64.b64encode(folded).decode())


def roberta_json(**changes):
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {t: i for i, t in enumerate(NAMES + alphabet + [a + b for a, b in MERGES] + ["<mask>"])}
    added = [token(t, vocab[t], special=True, normalized=True) for t in NAMES]
    added.append(token("<mask>", vocab["<mask>"], special=True, lstrip=True))
    model = dict(type="BPE", dropout=None, unk_token=None, continuing_subword_prefix="", end_of_word_suffix="", fuse_unk=False,
                 vocab=vocab, merges=[" ".join(m) for m in MERGES])
    whole = dict(version="1.0", truncation=None, padding=None, added_tokens=added, normalizer=None, pre_tokenizer=byte_level(False),
                 post_processor=dict(type="RobertaProcessing", sep=["</s>", 2], cls=["<s>", 0], trim_offsets=True,
                                     add_prefix_space=False),
                 decoder=byte_level(True), model=model)
    whole.update(changes)
    return json.dumps(whole, ensure_ascii=False)


def xlm_json(**changes):
    letters = [c for c in "abcdefghijklmnopqrstuvwxyz0123456789-"]
    vocab = [[t, 0.0] for t in NAMES] + [[p, -2.0 - i / 8] for i, p in enumerate(PIECES)] + [[c, -9.0] for c in letters]
    vocab.append(["<mask>", 0.0])
    added = [token(t, i, special=True) for i, t in enumerate(NAMES)]
    added.append(token("<mask>", len(vocab) - 1, special=True, lstrip=True, normalized=True))
    template = {"type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                           {"SpecialToken": {"id": "</s>", "type_id": 0}}],
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
                "special_tokens": {t: {"id": t, "ids": [NAMES.index(t)], "tokens": [t]} for t in ("<s>", "</s>")}}
    whole = dict(version="1.0", truncation=None, padding=None, added_tokens=added, normalizer=precompiled(),
                 pre_tokenizer=metaspace("always"), post_processor=template, decoder=metaspace("always"),
                 model=dict(type="Unigram", unk_id=3, vocab=vocab))
    whole.update(changes)
    return json.dumps(whole, ensure_ascii=False)


def albert_json(**changes):
    names = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    letters = list("abcdefghijklmnopqrstuvwxyz0123456789-\"")
    vocab = [[t, 0.0] for t in names] + [[p, -2.0 - i / 8] for i, p in enumerate(PIECES)] + [[c, -9.0] for c in letters]
    added = [token(t, i, special=True) for i, t in enumerate(names)]
    whole = dict(version="1.0", truncation=None, padding=None, added_tokens=added, normalizer=precompiled(),
                 pre_tokenizer=metaspace("always"), post_processor=None, decoder=metaspace("always"),
                 model=dict(type="Unigram", unk_id=0, vocab=vocab))
    whole.update(changes)
    return json.dumps(whole, ensure_ascii=False)


def camembert_json():
    names = ["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>"]
    vocab = [[t, 0.0] for t in names] + [[p, -2.0 - i / 8] for i, p in enumerate(PIECES)]
    vocab += [[c, -9.0] for c in "abcdefghijklmnopqrstuvwxyz"] + [["<mask>", 0.0]]
    added = [token(t, i, special=True) for i, t in enumerate(names)]
    return xlm_json(added_tokens=added, post_processor=None, model=dict(type="Unigram", unk_id=0, vocab=vocab))


def mpnet_json():
    """BERT's vocabulary with MPNet's names for special tokens."""
    names = {"[PAD]": "<pad>", "[CLS]": "<s>", "[SEP]": "</s>", "[MASK]": "<mask>"}
    vocab = {names.get(t, t): i for t, i in VOCAB.items()}
    added = [dict(t, content=names.get(t["content"], t["content"])) for t in SPECIAL]
    post = dict(type="RobertaProcessing", sep=["</s>", 3], cls=["<s>", 2], trim_offsets=True, add_prefix_space=False)
    return tokenizer_json(added, (True, True, None, True), model=dict(vocab=vocab), post_processor=post)


def directories():
    def config(name, **fields):
        return json.dumps({"tokenizer_class": name, **fields}, ensure_ascii=False)

    for model_type, name, files in (("roberta", "RobertaTokenizer", [
            ("", roberta_json()), ("another pre-tokenizer", roberta_json(pre_tokenizer=byte_level(True), normalizer=step("NFC")))]),
            ("xlm-roberta", "XLMRobertaTokenizer", [
                ("", xlm_json()), ("as today", xlm_json(pre_tokenizer=pre_sequence(step("WhitespaceSplit"), metaspace("always")))),
                ("normalizers", xlm_json(normalizer=sequence(step("NFKC"), precompiled(), step("Lowercase"))))]),
            ("albert", "AlbertTokenizer", [
                ("", albert_json()), ("normalizers", albert_json(normalizer=sequence(step("NFC"), precompiled())))]),
            ("camembert", "CamembertTokenizer", [("", camembert_json())]),
            ("mpnet", "MPNetTokenizer", [("", mpnet_json())])):
        model = json.dumps({"model_type": model_type})
        for what, file in files:
            yield f"{model_type} {what}, by model type", {"config.json": model, "tokenizer.json": file}
            yield f"{model_type} {what}", {"config.json": model, "tokenizer.json": file, "tokenizer_config.json": config(name + "Fast")}
        yield f"{model_type}, the file as it is", {
            "config.json": model, "tokenizer.json": files[-1][1],
            "tokenizer_config.json": config("PreTrainedTokenizerFast", cls_token="<s>", sep_token="</s>")}
        for prefix in True, False:
            yield f"{model_type}, add_prefix_space {prefix}", {
                "config.json": model, "tokenizer.json": files[0][1],
                "tokenizer_config.json": config(name, add_prefix_space=prefix, do_lower_case=prefix)}
    yield "albert, keep_accents", {
        "config.json": json.dumps({"model_type": "albert"}), "tokenizer.json": albert_json(),
        "tokenizer_config.json": config("AlbertTokenizer", keep_accents=True)}
    yield "camembert, additional tokens", {
        "config.json": json.dumps({"model_type": "camembert"}), "tokenizer.json": camembert_json(),
        "tokenizer_config.json": config("CamembertTokenizer", additional_special_tokens=["<hello>"])}


def main():
    write_cases("classes.jsonl", (through_transformers(*case) for case in directories()))


if __name__ == "__main__":
    main()
