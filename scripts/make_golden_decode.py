#!/usr/bin/env python3
"""Writes tests/golden/tokenizer/decode.jsonl: what the decoders of the reference make of ids.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_decode.py

The first line is the tokenizer.json that all share but for its decoder; then one decoder a line with cases: ids, the text,
and the text without special tokens.
"""
import json
import random

from tokenizers import Tokenizer

from make_golden_steps import metaspace, replace, step
from make_golden_tokenizer import OUTPUT, token

# What the decoders look for, more or less.
TOKENS = ["hello", "##ing", "##", "world", ".", "?", "!", ",", "'", "n't", "'m", "do", "not", "do not", "'s", "'ve", "'re", " .", " ' ",
          "▁the", "▁", "▁▁a▁", "a▁b", "Ġthe", "Ġ", "Ã", "©", "Ã©", "ä¸Ń", "ł", "é", "中", " a ", "<0xE5>", "<0x8f>", "<0xAB>", "<0x41>",
          "<0x20>", "<0xFF>", "<0x+A>", "<0x-1>", "<0xé>", "<0x4>", "low</w>", "</w>", "er</w>x", "|", "a|b", "<pad>", "x<pad>y", "HHey",
          "H", "HHH", "  b  ", "", "[CLS]", "<x>"]
DECODERS = {
    "nothing": None,
    "WordPiece": step("WordPiece", prefix="##", cleanup=True),
    "WordPiece, as it is": step("WordPiece", prefix="##", cleanup=False),
    "WordPiece without a prefix": step("WordPiece", prefix="", cleanup=True),
    "BPEDecoder": step("BPEDecoder", suffix="</w>"),
    "ByteLevel": step("ByteLevel", add_prefix_space=True, trim_offsets=True, use_regex=True),
    "Metaspace": metaspace("always"),
    "Metaspace first": metaspace("first"),
    "Metaspace never": metaspace("never"),
    "ByteFallback": step("ByteFallback"),
    "Fuse": step("Fuse"),
    "Strip": step("Strip", content="H", start=2, stop=1),
    "Strip more": step("Strip", content=" ", start=1, stop=3),
    "Replace": replace("▁", " "),
    "Replace runs": replace(" +", "_", "Regex"),
    "CTC": step("CTC", pad_token="<pad>", word_delimiter_token="|", cleanup=True),
    "CTC, as it is": step("CTC", pad_token="<pad>", word_delimiter_token="|", cleanup=False),
    "SentencePiece's": step("Sequence", decoders=[replace("▁", " "), step("ByteFallback"), step("Fuse"),
                                                  step("Strip", content=" ", start=1, stop=0)]),
    "ByteFallback and Metaspace": step("Sequence", decoders=[step("ByteFallback"), step("Sequence", decoders=[metaspace("always")])]),
    "Fuse and WordPiece": step("Sequence", decoders=[step("Fuse"), step("WordPiece", prefix="##", cleanup=True)]),
    "an empty Sequence": step("Sequence", decoders=[]),
}


def base(decoder):
    model = dict(type="BPE", dropout=None, unk_token=None, continuing_subword_prefix=None, end_of_word_suffix=None, fuse_unk=False,
                 byte_fallback=False, ignore_merges=False, vocab={t: i for i, t in enumerate(TOKENS)}, merges=[])
    added = [token("[CLS]", TOKENS.index("[CLS]"), special=True), token("<x>", TOKENS.index("<x>")),
             token("<s>", len(TOKENS), special=True)]
    return dict(version="1.0", truncation=None, padding=None, added_tokens=added, normalizer=None, pre_tokenizer=None,
                post_processor=None, decoder=decoder, model=model)


def cases(tokenizer, rng):
    texts = [[], [0], [len(TOKENS)]]
    texts += [[rng.randrange(len(TOKENS) + 2) for _ in range(rng.randrange(1, 14))] for _ in range(20)]
    for ids in texts:
        # Twice the same in a row, for CTC.
        ids = [i for i in ids for _ in range(rng.choice([1, 1, 1, 2]))]
        try:
            yield [ids, tokenizer.decode(ids, skip_special_tokens=False), tokenizer.decode(ids, skip_special_tokens=True)]
        except BaseException as error:  # Strip panics where both ends want one character
            assert "PanicException" in type(error).__name__


def main():
    rng = random.Random(5)
    with open(OUTPUT / "decode.jsonl", "w", encoding="utf-8") as file:
        def write(line):
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")

        write(base("DECODER"))
        for name, decoder in DECODERS.items():
            tokenizer = Tokenizer.from_str(json.dumps(base(decoder)))
            write({"name": name, "decoder": json.dumps(decoder), "cases": list(cases(tokenizer, rng))})


if __name__ == "__main__":
    main()
