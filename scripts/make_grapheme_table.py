#!/usr/bin/env python3
"""Writes engine/text/grapheme_table.inc: how the reference divides text into grapheme clusters.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_grapheme_table.py

The normalizer Precompiled looks up whole clusters of less than 6 bytes, so the Unicode version of the
reference's clusters (Unicode Standard Annex 29) shows in ids. The classes are read out of it: a
cluster whose first character has a mapping loses all others, which tells where a cluster ends.
Classes that cannot be told apart in this way do not matter either.
"""
import pathlib

import tokenizers
from tokenizers import normalizers

import charsmap
from make_unicode_tables import BLOCK, SCALARS, array, two_stage

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "engine/text/grapheme_table.inc"
# In the order of GraphemeClass (engine/text/grapheme.hpp).
CLASSES = ["other", "control", "extend", "conjunct_extend", "linker", "zwj", "spacing", "prepend", "lead", "vowel", "tail",
           "lead_vowel", "syllable", "pictographic", "consonant"]
MARK, ZWJ, SMILE, VIRAMA, KA = "\u0301", "\u200d", "\U0001f600", "\u094d", "\u0915"
LEAD, VOWEL, TAIL, GA, GAK = "\u1100", "\u1161", "\u11a8", "\uac00", "\uac01"


def keeps_mark(key):
    """f(text): whether `key`, followed by MARK at the end of text, is in one cluster with what is before it."""
    normalize = normalizers.Precompiled(charsmap.build({key: "x"})).normalize_str
    return lambda text: normalize(text).endswith("x" + MARK)


def own_keys(test, last=0x10000):
    """The scalars c below `last` for which test(normalize, chr(c)) holds, where c has a mapping."""
    result = set()
    for first in range(0x80, last, 128):
        chars = [chr(c) for c in range(first, first + 128) if not 0xD800 <= c < 0xE000]
        if not chars:
            continue
        normalize = normalizers.Precompiled(charsmap.build({c: "x" for c in chars})).normalize_str
        result.update(ord(c) for c in chars if test(normalize, c))
    return result


def classes():
    """{scalar: class}, without the ones that are other."""
    swallow = normalizers.Precompiled(charsmap.build({"A": "x"})).normalize_str
    follows = {c for c in SCALARS if c != 0x41 and swallow("A" + chr(c)) == "x"}
    marks = normalizers.Precompiled(charsmap.build({MARK: "x"})).normalize_str
    control = {c for c in SCALARS if c not in follows and marks(chr(c) + MARK + MARK).count("x") == 1}
    copyright_joined, ka_joined = keeps_mark("\u00a9"), keeps_mark(KA)
    vowel_joined, tail_joined = keeps_mark(VOWEL), keeps_mark(TAIL)

    result = {c: "control" for c in control}
    # CR and LF are controls that hold together; grapheme.cpp knows them.
    for c in follows:
        s = chr(c)
        if s == ZWJ:
            result[c] = "zwj"
        elif ka_joined(KA + s + KA + MARK):
            result[c] = "linker"
        elif ka_joined(KA + s + VIRAMA + KA + MARK):
            result[c] = "conjunct_extend"
        elif copyright_joined(SMILE + s + ZWJ + "\u00a9" + MARK):
            result[c] = "extend"
        else:
            result[c] = "spacing"

    def mark(c, name):
        assert c not in result, (hex(c), name, result[c])
        result[c] = name

    pairs = {c for c in SCALARS if c not in result}
    for c in own_keys(lambda normalize, s: normalize(s + "A") == "x", 0x110000):
        mark(c, "prepend")
    for c in pairs - result.keys():
        s = chr(c)
        before_vowel, before_tail = vowel_joined(s + VOWEL + MARK), tail_joined(s + TAIL + MARK)
        if before_vowel and before_tail:
            # lead-vowel syllables and vowels
            mark(c, "lead_vowel" if 0xAC00 <= c < 0xD7A4 else "vowel")
        elif before_vowel:
            mark(c, "lead")
        elif before_tail:
            mark(c, "syllable" if 0xAC00 <= c < 0xD7A4 else "tail")
        elif copyright_joined(s + ZWJ + "\u00a9" + MARK):
            mark(c, "pictographic")
        elif ka_joined(s + VIRAMA + KA + MARK):
            mark(c, "consonant")
    # The other side of each pair says the same.
    def joined(prefix):
        return own_keys(lambda normalize, s: normalize(prefix + s + MARK).endswith("x" + MARK))

    def of(*names):
        return {c for c, name in result.items() if name in names and 0x80 <= c < 0x10000}

    follow = {c for c in follows if 0x80 <= c < 0x10000} | of("control")
    assert joined(LEAD) - follow == of("lead", "vowel", "lead_vowel", "syllable")
    assert joined(GA) - follow == of("vowel", "tail")
    assert joined(GAK) - follow == of("tail")
    assert joined(SMILE + ZWJ) - follow == of("pictographic")
    assert joined(KA + VIRAMA) - follow == of("consonant")
    return result


def main():
    table = classes()
    for c in range(0xAC00, 0xD7A4):
        assert table[c] == ("lead_vowel" if (c - 0xAC00) % 28 == 0 else "syllable")
    numbers, blocks = two_stage([CLASSES.index(table.get(c, "other")) for c in range(0x110000)])
    assert len(blocks) <= 256
    for name in CLASSES:
        print(name, sum(v == name for v in table.values()))
    OUTPUT.write_text(
        "// Classes of characters in grapheme clusters (GraphemeClass), as the reference tokenizer has them.\n"
        f"// Written by scripts/make_grapheme_table.py from tokenizers {tokenizers.__version__}; do not edit.\n\n"
        f"static_assert(kBlock == {BLOCK});\n" + array("uint8_t", "kGraphemeBlocks", numbers) + "\n"
        + array("uint8_t", "kGraphemeClasses", [v for block in blocks for v in block]))


if __name__ == "__main__":
    main()
