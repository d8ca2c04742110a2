#!/usr/bin/env python3
"""Writes tests/golden/tokenizer/offsets.*: where the tokens of the reference come from.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_offsets.py
    python3 scripts/make_golden_offsets.py --compare build/release/bin/encode_lines [--strings 20000] [NAME|FILE ...]

The kinds are those of make_golden_steps.py; the model of its steps shows the place of every byte here. offsets.jsonl has
more: trained models with post-processors and added tokens, as texts to be replaced in the model's file. offsets.txt has
hashes over ids and places (bytes of the UTF-8 text, where the reference counts characters) of blocks of random strings.

--compare runs the binary over random strings and prints the first whose ids or places differ.
"""
import argparse
import itertools
import json
import sys

from tokenizers import Tokenizer

from make_golden_steps import OUTPUT, STEPS, byte_level, kind_named, random_text, run_binary, step, transcript
from make_golden_tokenizer import Draw, Hash, token

BLOCKS = 4
ADDED = [token("ab", 3000), token("<unk>", 0, lstrip=True, special=True), token("</s>", 3001, rstrip=True, lstrip=True, special=True),
         token("É", 3002, normalized=True), token("the", 3003, normalized=True, single_word=True, lstrip=True)]


def variants():
    """name -> (model, {field: value in place of the file's})"""
    for cut, trim in itertools.product([True, False], [True, False]):
        yield f"byte-level {cut} {trim}", "bpe-byte-level", dict(pre_tokenizer=byte_level(cut), post_processor=byte_level(trim))
    trims = step("Sequence", processors=[byte_level(True), byte_level(False)])
    yield "byte-level, trimmed twice", "bpe-byte-level", dict(pre_tokenizer=byte_level(True), post_processor=trims)
    strip = step("Strip", strip_left=True, strip_right=True)
    yield "byte-level, stripped", "bpe-byte-level", dict(normalizer=strip, post_processor=byte_level(True))
    for model in "bpe-byte-level", "unigram", "word-piece", "bpe-byte-fallback":
        yield f"added tokens, {model}", model, dict(post_processor=byte_level(False))
    yield "no unknown token", "bpe-suffix", {}


def kinds():
    """name -> tokenizer.json; a field of offsets.jsonl says how to make those that are not of the other script."""
    result = {name: transcript(*steps).replace('"continuing_subword_prefix": "#"', '"continuing_subword_prefix": ""')
              for name, steps in STEPS.items()}
    models = {path.stem: path.read_text(encoding="utf-8") for path in sorted((OUTPUT / "models").glob("*.json"))}
    result.update(models)
    made = []
    for name, model, fields in variants():
        text, changes = models[model], []
        file = json.loads(text)
        if name.startswith("added tokens"):
            size = len(file["model"]["vocab"])
            known = file["model"]["vocab"] if isinstance(file["model"]["vocab"], dict) else {
                entry[0]: i for i, entry in enumerate(file["model"]["vocab"])}
            fields["added_tokens"] = []
            for added in ADDED:
                if added["content"] not in known:
                    added, size = dict(added, id=size), size + 1
                else:
                    added = dict(added, id=known[added["content"]])
                fields["added_tokens"].append(added)
        for field, value in fields.items():
            def written(v):
                return f'"{field}":' + json.dumps(v, ensure_ascii=False, separators=(",", ":"))
            changes.append([written(file[field]), written(value)])
        if name == "no unknown token":
            changes.append(['"unk_token":"<unk>"', '"unk_token":null'])
        for old, new in changes:
            assert text.count(old) == 1, (name, old)
            text = text.replace(old, new)
        result[name] = text
        made.append({"name": name, "model": model, "changes": changes})
    return result, made


def places(tokenizer, texts):
    """[(id, begin, end)] of each text, in bytes."""
    for text, encoding in zip(texts, tokenizer.encode_batch(texts, add_special_tokens=False)):
        at = list(itertools.accumulate((len(c.encode()) for c in text), initial=0))
        yield [(i, at[begin], at[end]) for i, (begin, end) in zip(encoding.ids, encoding.offsets)]


def write():
    all_kinds, made = kinds()
    with open(OUTPUT / "offsets.jsonl", "w", encoding="utf-8") as file:
        for line in made:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    with open(OUTPUT / "offsets.txt", "w", encoding="utf-8") as file:
        for name, text in all_kinds.items():
            tokenizer, draw = Tokenizer.from_str(text), Draw(0x9E3779B97F4A7C15)
            for _ in range(BLOCKS):
                h = Hash()
                for found in places(tokenizer, [random_text(draw) for _ in range(100)]):
                    h.add(itertools.chain.from_iterable(found))
                file.write(f"{h.value:016x} {name}\n")


def compare(binary, strings, names):
    wrong, all_kinds = 0, kinds()[0]
    for name in names or all_kinds:
        file, tokenizer = kind_named(name, all_kinds)
        draw, shown = Draw(strings), 0
        texts = [random_text(draw) for _ in range(strings)]
        for text, found, expected in zip(texts, run_binary(binary, file, texts, "--offsets"), places(tokenizer, texts)):
            expected = " ".join("%d:%d:%d" % e for e in expected)
            if found != expected:
                shown += 1
                if shown <= 2:
                    print(f"{name}: {text!r}\n  found    {found}\n  expected {expected}")
        print(f"{name}: {len(texts)} texts, {shown} differ", flush=True)
        wrong += shown
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--compare", metavar="BINARY")
    parser.add_argument("--strings", type=int, default=20000)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.compare:
        sys.exit(1 if compare(arguments.compare, arguments.strings, arguments.names) else 0)
    write()


if __name__ == "__main__":
    main()
