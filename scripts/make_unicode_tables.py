#!/usr/bin/env python3
"""Writes engine/text/unicode_tables.inc: what the reference tokenizer believes about each character.

The Rust library behind the PyPI package `tokenizers` mixes several Unicode versions: general
categories of 8.0 (crate unicode_categories), decompositions of another version, the lowercase of
the Rust compiler that built it, the categories of its regular expressions (Oniguruma). So every table is read out of the pinned package itself, one scalar
value at a time, instead of out of a Unicode Character Database: the tables are right by definition,
and the same on every distribution.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_unicode_tables.py [--check FOLDER]

--check compares with `unicodedata2` 8.0.0 installed in FOLDER for Python 2.7 or 3.6 (it builds
nowhere newer), through the interpreter in the environment variable PYTHON_FOR_UNICODE_8; a
difference is a failure.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import unicodedata

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "engine/text/unicode_tables.inc"
BLOCK = 128  # kBlock in engine/text/unicode.hpp
SCALARS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]

# Bits of a record; engine/text/unicode.hpp names them.
(CONTROL, SPACE, PUNCTUATION, IDEOGRAPH, MARK, WORD, DECOMPOSES, COMBINING_MARK, NUMERIC, COMPATIBILITY,
 SECOND) = (1 << i for i in range(11))
# General categories in the order of CharCategory; the last is what \s has of Cc.
CATEGORIES = ["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
              "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cn", "space"]


def bert(**on):
    flags = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**flags, **on}).normalize_str


def matching(pattern):
    """The characters that a regular expression of the reference takes away."""
    everything = "".join(map(chr, SCALARS))
    return set(everything) - set(normalizers.Replace(Regex(pattern), "").normalize_str(everything))


def regex_categories():
    """{scalar: index in CATEGORIES}, as the regular expressions see it."""
    space = matching(r"\s+")
    result = {}
    for index, name in enumerate(CATEGORIES[:-1]):
        for s in matching(rf"\p{{{name}}}+"):
            assert ord(s) not in result
            result[ord(s)] = CATEGORIES.index("space") if name == "Cc" and s in space else index
    assert len(result) == len(SCALARS)
    spaces = {c for c, i in result.items() if CATEGORIES[i][0] == "Z" or CATEGORIES[i] == "space"}
    assert {chr(c) for c in spaces} == space
    for major in "LMNPSZC":
        of_major = {chr(c) for c, i in result.items() if CATEGORIES[i].replace("space", "Cc")[0] == major}
        assert matching(rf"\p{{{major}}}+") == of_major
    assert matching(r"\d+") == {chr(c) for c, i in result.items() if CATEGORIES[i] == "Nd"}
    return result


def compositions(decompositions):
    """[(first, second, composed)]: the pairs that NFC joins, but for Hangul syllables."""
    nfc = normalizers.NFC().normalize_str
    result = []
    for c, parts in decompositions.items():
        if nfc(chr(c)) != chr(c) or 0xAC00 <= c < 0xAC00 + 11172:
            continue
        first = nfc("".join(map(chr, parts[:-1])))
        assert len(first) == 1 and nfc(first + chr(parts[-1])) == chr(c), hex(c)
        result.append((ord(first), parts[-1], c))
    return sorted(result)


def read_reference():
    """{scalar: (flags, combining class, category, lower)}, {scalar: full canonical decomposition}, the same for
    compatibility decompositions where they differ, and the compositions."""
    nfd, nfkd = normalizers.NFD().normalize_str, normalizers.NFKD().normalize_str
    strip_accents = normalizers.StripAccents().normalize_str
    digits = pre_tokenizers.Digits(individual_digits=True).pre_tokenize_str
    clean, chinese, strip = bert(clean_text=True), bert(handle_chinese_chars=True), bert(strip_accents=True)
    lower = normalizers.Lowercase().normalize_str
    bert_split = pre_tokenizers.BertPreTokenizer().pre_tokenize_str

    # A token with single_word is found after everything but a word character.
    probe = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    probe.add_tokens([AddedToken("Q", single_word=True, normalized=False)])
    probe_id = probe.token_to_id("Q")

    classes, categories = combining_classes(nfd), regex_categories()
    records, decompositions, compatibility = {}, {}, {}
    for c in SCALARS:
        s = chr(c)
        pieces = [piece for piece, _ in bert_split("a" + s + "b")]
        space = pieces == ["a", "b"]
        flags = CONTROL if clean(s) == "" else 0
        # clean_text tests control first, so only the pre-tokenizer shows U+000B and U+0085.
        flags |= SPACE if space else 0
        assert flags & CONTROL or (clean(s) == " ") == space, hex(c)
        flags |= PUNCTUATION if pieces == ["a", s, "b"] else 0
        flags |= IDEOGRAPH if chinese(s) == " " + s + " " else 0
        flags |= WORD if probe_id not in probe.encode(s + "Q").ids else 0
        flags |= COMBINING_MARK if strip_accents(s) == "" else 0
        flags |= NUMERIC if len(digits("a" + s + "b")) == 3 else 0
        decomposed, compatible = nfd(s), nfkd(s)
        if compatible != decomposed:
            flags |= COMPATIBILITY
            compatibility[c] = [ord(d) for d in compatible]
        if decomposed != s:
            flags |= DECOMPOSES
            decompositions[c] = [ord(d) for d in decomposed]
        else:
            flags |= MARK if strip(s) == "" else 0
        records[c] = (flags, classes.get(c, 0), categories[c], [ord(x) for x in lower(s)])
    # A mark that decomposes is decomposed before marks are removed, so its own bit is never read.
    composed = compositions(decompositions)
    seconds = {second for _, second, _ in composed} | set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))
    for c in seconds:
        records[c] = (records[c][0] | SECOND, *records[c][1:])
    return records, decompositions, compatibility, composed


def combining_classes(nfd):
    """{scalar: canonical combining class}, from the order in which NFD leaves two marks."""
    # One mark for each class of a current Unicode. U+0345 has the highest class, 240, so a mark that
    # the reference knows moves before it (it does not know U+16FF0 of Unicode 13).
    top = "\u0345"
    ladder = {240: top}
    for c in SCALARS:
        k, s = unicodedata.combining(chr(c)), chr(c)
        if 0 < k < 240 and k not in ladder and nfd(s) == s and nfd(top + s) == s + top:
            ladder[k] = s
    rungs = sorted(ladder.items())
    for (_, low), (_, high) in zip(rungs, rungs[1:]):
        assert nfd(high + low) == low + high and nfd(low + high) == low + high
    bottom = rungs[0][1]
    result = {}
    for c in SCALARS:
        s = chr(c)
        if nfd(s) != s:
            continue
        if nfd(top + s) == top + s and nfd(s + bottom) == s + bottom:
            continue  # moves past nothing and lets nothing past: a starter
        if s in ladder.values():
            result[c] = next(k for k, rung in rungs if rung == s)
            continue
        below = {k for k, rung in rungs if nfd(s + rung) == rung + s}
        above = {k for k, rung in rungs if nfd(rung + s) == s + rung}
        own = sorted(ladder.keys() - below - above)
        assert len(own) == 1, (hex(c), own)
        result[c] = own[0]
    return result


def two_stage(values):
    """(block numbers, blocks) of a list with one value per code point."""
    seen, numbers, blocks = {}, [], []
    for start in range(0, len(values), BLOCK):
        block = tuple(values[start:start + BLOCK])
        if block not in seen:
            seen[block] = len(blocks)
            blocks.append(block)
        numbers.append(seen[block])
    return numbers, blocks


def array(kind, name, values):
    """A C++ array, packed into lines of at most 100 columns."""
    lines, line = [f"constexpr {kind} {name}[{len(values)}] = {{"], ""
    for value in values:
        item = f"{value},"
        if len(line) + len(item) > 100:
            lines.append(line)
            line = ""
        line += item
    return "\n".join(lines + [line, "};", ""])


def render(records, decompositions, compatibility, composed):
    hangul = {c: d for c, d in decompositions.items() if 0xAC00 <= c < 0xAC00 + 11172}
    for c, d in hangul.items():  # unicode.cpp computes these
        i = c - 0xAC00
        expected = [0x1100 + i // 588, 0x1161 + i % 588 // 28] + ([0x11A7 + i % 28] if i % 28 else [])
        assert d == expected, hex(c)
    assert len(hangul) == 11172

    unique, index = {}, []
    for c in range(0x110000):
        # Surrogates never reach the tables; they share the record of an unassigned scalar.
        flags, combining, category, lower = records.get(c, (0, 0, CATEGORIES.index("Cn"), [c]))
        if len(lower) != 1:
            assert (c, lower) == (0x130, [0x69, 0x307])  # the one that becomes two; see unicode.hpp
            lower = [0x69]
        record = (flags, combining, category, lower[0] - c)
        index.append(unique.setdefault(record, len(unique)))

    pool, known = [0], {}

    def pooled(table):
        """Two stages of indices into the pool."""
        offsets = [0] * 0x110000
        for c, d in table.items():
            if c in hangul:
                continue
            key = tuple(d)
            if key not in known:
                known[key] = len(pool)
                pool.extend([len(d), *d])
            offsets[c] = known[key]
        table_numbers, table_blocks = two_stage(offsets)
        assert len(pool) < 1 << 16 and len(table_blocks) <= 256
        return table_numbers, [v for block in table_blocks for v in block]

    numbers, blocks = two_stage(index)
    assert len(unique) <= 256
    flat = [v for block in blocks for v in block]
    d_numbers, d_flat = pooled(decompositions)
    k_numbers, k_flat = pooled(compatibility)
    text = [
        "// Character properties, lowercase and decompositions as the reference tokenizer has them.\n"
        f"// Written by scripts/make_unicode_tables.py from tokenizers {tokenizers.__version__}; do not edit.\n",
        f"static_assert(kBlock == {BLOCK});\n"
        "constexpr CharRecord kRecords[] = {\n"
        + "\n".join(f"    {{{', '.join(map(str, record))}}}," for record in unique)
        + "\n};\n",
        array("uint16_t", "kRecordBlocks", numbers),
        array("uint8_t", "kRecordIndex", flat),
        array("uint8_t", "kDecompositionBlocks", d_numbers),
        array("uint16_t", "kDecompositionIndex", d_flat),
        array("uint8_t", "kCompatibilityBlocks", k_numbers),
        array("uint16_t", "kCompatibilityIndex", k_flat),
        "// A length, then as many code points; index 0 is nobody's.\n"
        + array("char32_t", "kDecompositions", pool),
        "// First, second and what NFC makes of them, in order.\n"
        f"constexpr Composition kCompositions[{len(composed)}] = {{\n"
        + "\n".join(f"    {{{', '.join(map(str, entry))}}}," for entry in composed)
        + "\n};\n",
    ]
    return "\n".join(text)


def check(records, decompositions, folder):
    """Compares categories with Unicode 8.0; prints every scalar that differs."""
    code = ("import sys; sys.path.insert(0, sys.argv[1]); import unicodedata2 as u\n"
            "assert u.unidata_version == '8.0.0'\n"
            "c = chr if sys.version_info[0] > 2 else unichr\n"
            "sys.stdout.write(''.join(u.category(c(i)) for i in range(0x110000)))")
    categories = subprocess.run([os.environ["PYTHON_FOR_UNICODE_8"], "-c", code, folder], check=True,
                                capture_output=True, text=True).stdout
    wrong = 0
    for c in SCALARS:
        category, flags = categories[2 * c:2 * c + 2], records[c][0]
        if c < 128:
            continue  # ASCII has its own rules for punctuation, and tab, newline and return
        expected = (CONTROL if category in ("Cc", "Cf", "Co") or c == 0xFFFD else 0)
        expected |= PUNCTUATION if category[0] == "P" else 0
        expected |= MARK if category == "Mn" and c not in decompositions else 0
        got = flags & (CONTROL | PUNCTUATION | MARK)
        if got != expected:
            wrong += 1
            print(f"U+{c:04X}: {category}, flags {got}, expected {expected}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", metavar="FOLDER")
    arguments = parser.parse_args()
    records, decompositions, compatibility, composed = read_reference()
    if arguments.check and check(records, decompositions, arguments.check):
        sys.exit("the reference does not follow Unicode 8.0 where listed")
    OUTPUT.write_text(render(records, decompositions, compatibility, composed))


if __name__ == "__main__":
    main()
