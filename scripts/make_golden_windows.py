#!/usr/bin/env python3
"""Writes tests/golden/tokenizer/windows.jsonl: what the reference makes of long texts with a stride (`overflowing`).

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_windows.py

One tokenizer a line: a post-processor for the tokenizer of tests/text/small_tokenizer.hpp, or a kind of
make_golden_offsets.py. A case is [first, second or null, max_length, stride, strategy, direction, add_special_tokens,
windows]; windows are null where the reference refuses or panics. A window is [ids, type ids, begins, ends], the last two
in characters.
"""
import itertools
import json
import random

from tokenizers import Tokenizer

from make_golden_offsets import kinds
from make_golden_pairs import PROCESSORS, small_json
from make_golden_tokenizer import OUTPUT

TEXTS = ["", "a", "hello b", "hello a unaffable [MASK] b", "b,b,b,b,b,b", "unaffable é unaffable"]
LONGER = ["  the Software  is licensed", " the  \n\n licence ", "of é ü,  and more"]


def windows(encoding):
    for window in [encoding, *encoding.overflowing]:
        yield [window.ids, window.type_ids, [begin for begin, _ in window.offsets], [end for _, end in window.offsets]]


def cases(tokenizer, texts, count):
    rng = random.Random(count)
    every = itertools.product(texts, [None, None, *texts], range(8), range(4), ["longest_first", "only_first", "only_second"],
                              ["right", "left"], [True, False])
    for first, second, length, stride, strategy, direction, special in rng.sample(list(every), count):
        tokenizer.no_truncation()
        # Below that the reference panics.
        length += tokenizer.num_special_tokens_to_add(second is not None) if special else 0
        try:
            tokenizer.enable_truncation(length, stride=stride, strategy=strategy, direction=direction)
        except Exception:  # a stride that no text could be cut with
            continue
        try:
            encoding = tokenizer.encode(first, second, add_special_tokens=special)
        except BaseException as error:  # a panic is no Exception
            if isinstance(error, KeyboardInterrupt):
                raise
            found = None
        else:
            found = list(windows(encoding))
        yield [first, second, length, stride, strategy, direction, special, found]


def main():
    all_kinds, made = kinds()
    with open(OUTPUT / "windows.jsonl", "w", encoding="utf-8") as file:
        def write(what, tokenizer, texts, count):
            tokenizer.no_padding()
            file.write(json.dumps({**what, "cases": list(cases(tokenizer, texts, count))}, ensure_ascii=False,
                                  separators=(",", ":")) + "\n")

        for name, processor in PROCESSORS.items():
            write({"name": name, "post_processor": json.dumps(processor)}, Tokenizer.from_str(small_json(processor)), TEXTS, 30)
        for line in made:
            if line["name"] in ("byte-level True True", "byte-level, trimmed twice"):
                write({"name": line["name"], "kind": line["name"]}, Tokenizer.from_str(all_kinds[line["name"]]), LONGER, 30)


if __name__ == "__main__":
    main()
