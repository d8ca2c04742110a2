#!/usr/bin/env python3
# check_symbols.py LIBRARY [--update]: checks that a shared library exports exactly the names in symbols.txt, without
# parameters; weak ones (inline data, type information) may be absent, as compilers differ in which they need.
import pathlib
import re
import subprocess
import sys

LIST = pathlib.Path(__file__).with_name("symbols.txt")


def exported(library):
    """The names that `library` exports; those of weak symbols end in " (weak)"."""
    lines = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--demangle", "--format=posix", library],
        check=True, capture_output=True, text=True,
    ).stdout.splitlines()
    names = set()
    for line in lines:
        symbol, kind = re.fullmatch(r"(.+) (\w) [0-9a-f]+ ?[0-9a-f]*", line).groups()
        name = re.sub(r"\[abi:\w+\]", "", symbol).split("(")[0]
        names.add(name if kind in "TDBR" else name + " (weak)")
    return names


def main(library, *options):
    found = exported(library)
    if "--update" in options:
        LIST.write_text("".join(name + "\n" for name in sorted(found)), encoding="utf-8")
    expected = set(LIST.read_text(encoding="utf-8").splitlines())
    for name in sorted(found - expected):
        print(f"exported, but not in {LIST.name}: {name}")
    missing = sorted(name for name in expected - found if not name.endswith(" (weak)"))
    for name in missing:
        print(f"in {LIST.name}, but not exported: {name}")
    if found - expected or missing:
        sys.exit("If the interface was meant to change, run this with --update.")


if __name__ == "__main__":
    main(*sys.argv[1:])
