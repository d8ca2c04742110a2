#!/usr/bin/env python3
"""Writes tests/golden/tokenizer/: what the reference tokenizer makes of texts, for tests/text.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_tokenizer.py MODEL_DIRECTORY

MODEL_DIRECTORY is all-MiniLM-L6-v2 (scripts/get_model.sh). The files:

scalars.txt       for each vocabulary, normalizer and block of 256 code points a hash over the ids of
                  c, "a" + c + "b" and " " + c + " " for every scalar value c of the block; lines of
                  equal neighbours are merged
fuzz.txt          the same over blocks of 100 random strings; both sides draw them with one generator
cases.jsonl       small directories with texts and ids: added tokens with every flag, post-processors,
                  old files, and what transformers' AutoTokenizer reads in tokenizer_config.json
                  (write_cases)
"""
import itertools
import json
import pathlib
import random
import sys
import tempfile

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import AutoTokenizer

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "tests/golden/tokenizer"
MASK64 = (1 << 64) - 1
# clean_text, handle_chinese_chars, strip_accents, lowercase; the test has the same table.
NORMALIZERS = {
    "uncased": (True, True, None, True),
    "cased": (True, True, None, False),
    "accents": (True, False, False, True),
    "dirty": (False, True, True, True),
    "bare": (False, False, True, False),
}


def bert(flags):
    return normalizers.BertNormalizer(clean_text=flags[0], handle_chinese_chars=flags[1],
                                      strip_accents=flags[2], lowercase=flags[3])


def every_character():
    """A tokenizer that shows every character: scalar c is token 2c, or 2c + 1 inside a word."""
    vocab = {"[UNK]": 0}
    for c in range(1, 0x110000):
        if not 0xD800 <= c < 0xE000:
            vocab[chr(c)] = 2 * c
            vocab["##" + chr(c)] = 2 * c + 1
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


class Hash:
    """FNV-1a over the ids of one text after the other, as 32-bit words, each text ended by -1."""

    def __init__(self):
        self.value = 0xCBF29CE484222325

    def add(self, ids):
        for i in itertools.chain(ids, [0xFFFFFFFF]):
            self.value = ((self.value ^ i) * 0x100000001B3) & MASK64


def scalars(tokenizer, relative):
    """(first block, last block, hash) with equal neighbours merged.

    `relative`: ids of the block's own characters count from the block's first, so that blocks of
    ordinary letters are equal.
    """
    runs = []
    for block in range(0x1100):
        h = Hash()
        texts = [t for c in range(256 * block, 256 * block + 256) if not 0xD800 <= c < 0xE000
                 for t in (chr(c), f"a{chr(c)}b", f" {chr(c)} ")]
        for encoding in tokenizer.encode_batch(texts, add_special_tokens=False):
            h.add([i & 511 | 1 << 31 if relative and i >> 9 == block else i for i in encoding.ids])
        if runs and runs[-1][2] == h.value:
            runs[-1][1] = block
        else:
            runs.append([block, block, h.value])
    return runs


class Draw:
    """xorshift64*; tests/text has the same."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        x = self.state
        x ^= x >> 12
        x = (x ^ (x << 25)) & MASK64
        x ^= x >> 27
        self.state = x
        return ((x * 0x2545F4914F6CDD1D & MASK64) >> 33) % n


# What a random string is made of: first and last code point of a range, drawn with equal chance.
RANGES = [(0x20, 0x20), (0x61, 0x7A), (0x41, 0x5A), (0x21, 0x7E), (0x00, 0x1F), (0x7F, 0xFF), (0x100, 0x24F),
          (0x300, 0x36F), (0x300, 0x36F), (0x591, 0x5C7), (0x302A, 0x302F), (0x1D165, 0x1D172), (0x1AB0, 0x1AFF),
          (0x4E00, 0x4E40), (0xAC00, 0xAC80), (0xF900, 0xFA20), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x370, 0x3FF),
          (0x900, 0x94F), (0x1F600, 0x1F64F), (0x0, 0xD7FF), (0xE000, 0x10FFFF)]


def fuzz(tokenizer, blocks):
    draw, result = Draw(0x9E3779B97F4A7C15), []
    for _ in range(blocks):
        texts = []
        for _ in range(100):
            text = []
            for _ in range(draw.below(40)):
                first, last = RANGES[draw.below(len(RANGES))]
                c = first + draw.below(last - first + 1)
                text.append(chr(c))
            texts.append("".join(text))
        h = Hash()
        for encoding in tokenizer.encode_batch(texts, add_special_tokens=False):
            h.add(encoding.ids)
        result.append(h.value)
    return result


SMALL = (["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "world", "un", "##aff", "##able", "中", "文", "é"]
         + [p + c for c in "abcdefghijklmnopqrstuvwxyz0123456789" for p in ("", "##")]
         + [p + c for c in "ABCDEÉ" for p in ("", "##")] + list("!#,.-[]<>_"))
VOCAB = {token: i for i, token in enumerate(SMALL)}


def token(content, i, **flags):
    base = dict(single_word=False, lstrip=False, rstrip=False, normalized=False, special=False)
    return {"id": i, "content": content, **{**base, **flags}}


SPECIAL = [token(t, VOCAB[t], special=True) for t in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
               {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {t: {"id": t, "ids": [VOCAB[t]], "tokens": [t]} for t in ("[CLS]", "[SEP]")},
}


def tokenizer_json(added=SPECIAL, flags=(True, True, None, True), **changes):
    model = dict(type="WordPiece", unk_token="[UNK]", continuing_subword_prefix="##",
                 max_input_chars_per_word=100, vocab=VOCAB)
    model.update(changes.pop("model", {}))
    for key in [k for k, v in model.items() if v is None]:
        del model[key]
    names = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
    whole = dict(version="1.0", truncation=None, padding=None, added_tokens=added,
                 normalizer=dict(type="BertNormalizer", **dict(zip(names, flags))),
                 pre_tokenizer={"type": "BertPreTokenizer"}, post_processor=TEMPLATE,
                 decoder={"type": "WordPiece", "prefix": "##", "cleanup": True}, model=model)
    whole.update(changes)
    return json.dumps(whole, ensure_ascii=False)


TEXTS = ["", " ", "hello world", "Hello, WORLD!", "unaffable", "unaffablé É é", "中文hello中", "[CLS] hello [SEP]",
         "x[MASK]y", " [MASK] ", "[mask]", "[MASK", "ABC abc", "a" * 101, "é" * 100,
         "hello\u0000\u0001\u000b\u0085world", "e\u0301\u0323 \u212b", "## ##a a##b", "☃"]


def direct(name, text, texts=TEXTS):
    """A case that the Rust library reads from tokenizer.json alone."""
    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    cases = []
    for t in texts:
        tokenizer.encode_special_tokens = False
        plain, bare = tokenizer.encode(t).ids, tokenizer.encode(t, add_special_tokens=False).ids
        tokenizer.encode_special_tokens = True
        cases.append([t, plain, bare, tokenizer.encode(t, add_special_tokens=False).ids])
    return {"name": name, "files": {"tokenizer.json": text}, "cases": cases}


def through_transformers(name, files):
    """A case that AutoTokenizer reads from a directory."""
    with tempfile.TemporaryDirectory() as folder:
        for file, text in files.items():
            pathlib.Path(folder, file).write_text(text, encoding="utf-8")
        tokenizer = AutoTokenizer.from_pretrained(folder)
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    cases = []
    for t in TEXTS + ["<x> a<x>b", "hello<extra>world <y> Q"]:
        backend.encode_special_tokens = False
        plain, bare = backend.encode(t).ids, backend.encode(t, add_special_tokens=False).ids
        backend.encode_special_tokens = True
        cases.append([t, plain, bare, backend.encode(t, add_special_tokens=False).ids])
    return {"name": name, "files": files, "cases": cases}


def added_token_cases():
    n = len(SMALL)
    sets = {
        "plain": [token("ab", n), token("abc", n + 1), token("b", VOCAB["b"])],
        "single word": [token("ab", n, single_word=True), token("é", VOCAB["é"], single_word=True), token("-", VOCAB["-"])],
        "strip left": [token("<m>", n, lstrip=True, special=True), token("b", VOCAB["b"])],
        "strip right": [token("<m>", n, rstrip=True, special=True), token(" ", n + 1)],
        "whitespace that strips": [token(" ", n, rstrip=True), token(" a", n + 1, lstrip=True, rstrip=True)],
        "strip both": [token("<m>", n, lstrip=True, rstrip=True), token("\u3000", n + 1, single_word=True)],
        "normalized": [token("AB", n, normalized=True), token("é中", n + 1, normalized=True), token("a b", n + 2)],
        "normalized, flags": [token("Ab", n, normalized=True, single_word=True, rstrip=True),
                              token("B", VOCAB["B"], normalized=True, lstrip=True, special=True), token("<m>", n + 1, lstrip=True)],
    }
    rng = random.Random(7)
    pieces = ["a", "b", "c", "ab", "abc", "AB", "Ab", "B", "é", "e\u0301", "中", "é中", "<m>", "-", "_", " ", " ",
              "  ", "\t", "\u3000", "\u00a0", "[MASK]", "1", "\u0323", "\u0001", "<"]
    for name, tokens in sets.items():
        for flags in (True, True, None, True), (False, True, False, False):
            texts = ["".join(rng.choice(pieces) for _ in range(rng.randrange(1, 12))) for _ in range(40)]
            yield direct(f"added tokens: {name} {flags}", tokenizer_json(SPECIAL + tokens, flags), texts)


def file_cases():
    saved_limits = dict(truncation=dict(direction="Right", max_length=4, strategy="LongestFirst", stride=0),
                        padding=dict(strategy={"Fixed": 9}, direction="Right", pad_to_multiple_of=None, pad_id=0,
                                     pad_type_id=0, pad_token="[PAD]"))
    yield direct("saved truncation and padding", tokenizer_json(**saved_limits))
    for name, flags in NORMALIZERS.items():
        yield direct(f"normalizer {name}", tokenizer_json(flags=flags))
    yield direct("no normalizer, no post-processor", tokenizer_json(normalizer=None, post_processor=None))
    yield direct("BertProcessing", tokenizer_json(post_processor={"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}))
    two = {**TEMPLATE, "single": TEMPLATE["single"][:2] + TEMPLATE["single"][2:] * 2,
           "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2, 4], "tokens": ["[CLS]", "[MASK]"]},
                              "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}}
    yield direct("a longer template", tokenizer_json(post_processor=two))
    yield direct("model without a type", tokenizer_json(model=dict(type=None)))
    yield direct("prefix and word length", tokenizer_json(model=dict(continuing_subword_prefix="", max_input_chars_per_word=5)))
    yield direct("a prefix that no token has", tokenizer_json(model=dict(continuing_subword_prefix="@@")))
    yield direct("another unknown token", tokenizer_json(model=dict(unk_token="hello")))


def directory_cases():
    bert_config = json.dumps({"model_type": "bert"})
    uncased, cased = tokenizer_json(), tokenizer_json(flags=(True, True, None, False))
    vocab_txt = "\n".join(SMALL) + "\n"

    def config(**fields):
        return json.dumps({"tokenizer_class": "BertTokenizer", **fields}, ensure_ascii=False)

    def decoder(*tokens):
        return {str(t["id"]): {k: v for k, v in t.items() if k != "id"} for t in tokens}

    n = len(SMALL)
    yield "class by model type", {"config.json": bert_config, "tokenizer.json": cased}
    for fields in (dict(do_lower_case=True), dict(do_lower_case=False), dict(do_lower_case=False, strip_accents=True),
                   dict(strip_accents=False), dict(tokenize_chinese_chars=False)):
        for file, text in ("tokenizer.json", uncased), ("tokenizer.json", cased), ("vocab.txt", vocab_txt):
            yield (f"{fields} over {file}",
                   {"config.json": bert_config, "tokenizer_config.json": config(**fields), file: text})
    yield "Fast class name", {"config.json": bert_config, "tokenizer.json": cased,
                              "tokenizer_config.json": json.dumps({"tokenizer_class": "BertTokenizerFast"})}
    yield "a class of the file's own", {"config.json": json.dumps({"model_type": "mpnet"}), "tokenizer.json": cased,
                                        "tokenizer_config.json": json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"})}
    yield "vocab.txt alone", {"config.json": bert_config, "vocab.txt": "\r\n".join(SMALL)}
    yield "added_tokens_decoder", {
        "config.json": bert_config, "tokenizer.json": tokenizer_json(SPECIAL + [token("<x>", n)]),
        "tokenizer_config.json": config(added_tokens_decoder=decoder(*SPECIAL, token("<y>", n, lstrip=True, normalized=True)))}
    yield "extra tokens", {
        "config.json": bert_config, "tokenizer.json": uncased,
        "tokenizer_config.json": config(additional_special_tokens=["<x>", "<extra>"], mask_token={
            "__type": "AddedToken", "content": "<y>", "lstrip": True, "normalized": False, "rstrip": False, "single_word": False})}
    yield "special_tokens_map.json", {
        "config.json": bert_config, "vocab.txt": vocab_txt, "tokenizer_config.json": config(),
        "special_tokens_map.json": json.dumps({"mask_token": {"content": "<x>", "lstrip": True, "normalized": False,
                                                               "rstrip": False, "single_word": False}})}
    yield "added_tokens.json", {"config.json": bert_config, "vocab.txt": vocab_txt, "tokenizer_config.json": config(),
                                "added_tokens.json": json.dumps({"<x>": n, "<extra>": n + 1})}


def write_cases(name, cases):
    """The first line has the contents of all files, to which the cases refer by number: many have the same."""
    contents, lines = {}, []
    for case in cases:
        files = {file: contents.setdefault(text, len(contents)) for file, text in case["files"].items()}
        lines.append({**case, "files": files})
    with open(OUTPUT / name, "w", encoding="utf-8") as file:
        for line in [list(contents), *lines]:
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


def main():
    model = Tokenizer.from_file(str(pathlib.Path(sys.argv[1]) / "tokenizer.json"))
    model.no_truncation()
    model.no_padding()
    characters = every_character()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    with open(OUTPUT / "scalars.txt", "w") as scalar_file, open(OUTPUT / "fuzz.txt", "w") as fuzz_file:
        for vocabulary, tokenizer in ("minilm", model), ("characters", characters):
            for name, flags in NORMALIZERS.items():
                tokenizer.normalizer = bert(flags)
                if vocabulary == "characters" or name == "uncased":
                    for first, last, value in scalars(tokenizer, vocabulary == "characters"):
                        scalar_file.write(f"{vocabulary} {name} {first:x} {last:x} {value:016x}\n")
                for block, value in enumerate(fuzz(tokenizer, 100)):
                    fuzz_file.write(f"{vocabulary} {name} {block} {value:016x}\n")
    write_cases("cases.jsonl", itertools.chain(added_token_cases(), file_cases(),
                                               (through_transformers(*c) for c in directory_cases())))


if __name__ == "__main__":
    main()
