#!/usr/bin/env python3
"""Writes engine/text/script_table.inc: which characters the pre-tokenizer UnicodeScripts keeps together.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_script_table.py

The reference has a table of scripts of its own, in no library's version of Unicode, so it is asked about every character:
two that follow each other stay in one piece if they have one script. Characters of no script, which join whatever stands
before them, give no piece alone.
"""
import pathlib

from tokenizers.pre_tokenizers import UnicodeScripts

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "engine/text/script_table.inc"


def main():
    split = UnicodeScripts().pre_tokenize_str
    known, runs = [], []  # a character of each script; [first, script]
    for c in range(0x110000):
        if 0xD800 <= c < 0xE000:
            continue
        character = chr(c)
        if not split(character):
            script = 0
        else:
            last = runs[-1][1] if runs else 0
            order = [last, *range(1, len(known) + 1)] if last else range(1, len(known) + 1)
            script = next((s for s in order if len(split(known[s - 1] + character)) == 1), None)
            if script is None:
                known.append(character)
                script = len(known)
        if not runs or runs[-1][1] != script:
            runs.append([c, script])
    assert len(known) < 256
    entries = [f"{{0x{first:X}, {script}}}," for first, script in runs]
    lines = [" ".join(entries[i:i + 8]) for i in range(0, len(entries), 8)]
    OUTPUT.write_text("// Where runs of characters of one script start, 0: of none.\n"
                      "// Written by scripts/make_script_table.py from tokenizers 0.23.3; do not edit.\n\n"
                      "constexpr ScriptRun kScriptRuns[] = {\n  " + "\n  ".join(lines) + "\n};\n", encoding="utf-8")


if __name__ == "__main__":
    main()
