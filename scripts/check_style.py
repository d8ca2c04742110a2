#!/usr/bin/env python3
# Checks the rules of style that clang-format does not know.
# Prints each violation as file:line: message and fails if there is one; --self-test plants violations and fails unless
# exactly those are found.
import re

import check_tool

MAX_LINES = 600

# What opens the comment that a file starts with. Generated tables (.inc) have it too.
COMMENT = {
    **dict.fromkeys([".hpp", ".cpp", ".h", ".c", ".inc"], "//"),
    **{".py": ("#", '"""'), ".sh": "#", ".cmake": "#"},
}

CPP = {".hpp", ".cpp", ".h", ".c", ".inc"}
FOLDERS = ["engine", "include", "tests", "bench", "scripts", "cmake", ".ci"]

# The library returns or throws: printing and ending the process are the command's.
LIBRARY_NEVER = re.compile(
    r"\b(?:std::)?(?:cout|cerr|clog)\b"
    r"|(?<![\w.>])(?:std::)?(?:v?printf|puts|putchar|perror|exit|_exit|_Exit|quick_exit|abort|terminate|HWY_ABORT)\s*\("
    r"|\b(?:v?fprintf|fputs|fputc|fwrite|fflush)\s*\([^;]*\b(?:stdout|stderr)\b"
)
# Results must be the same on every machine of one ISA, and one binary must run on all.
FLAGS_NEVER = re.compile(r"-march=native|-ffast-math|-Ofast")
# A path that exists on one machine only.
MACHINE_PATH = re.compile(r"(?<![\w.~*}])/(?:root|work|home|tmp)/")
CPP_NOISE = re.compile(r'//.*|/\*.*?\*/|"(?:\\.|[^"\\])*"')


def is_build_file(path):
    return path.name in {"CMakeLists.txt", "CMakePresets.json", "pyproject.toml"} or path.suffix == ".cmake"


def check_file(file, path, lines):
    """Yields (line number, message) for each violation in one file; `file` is its path from the root."""
    comment = COMMENT.get(path.suffix)
    if comment:
        # A script's first line says how to run it.
        first = 1 if lines and lines[0].startswith("#!") else 0
        if len(lines) <= first or not lines[first].startswith(comment) or len(lines[first]) < 10:
            yield first + 1, "the file does not start with a comment that says what it is for"
        if path.suffix != ".inc" and len(lines) > MAX_LINES:
            yield len(lines), f"the file has {len(lines)} lines; {MAX_LINES} are the most"
    silent = path.suffix in CPP and file.startswith("engine/") and not file.startswith("engine/cli/")
    for number, line in enumerate(lines, 1):
        if silent and (match := LIBRARY_NEVER.search(CPP_NOISE.sub('""', line))):
            yield number, f"the library never prints or ends the process: {match[0]}"
        if is_build_file(path) and (match := FLAGS_NEVER.search(line.split("#")[0])):
            yield number, f"{match[0]} makes results differ between machines"
        if match := MACHINE_PATH.search(line):
            yield number, f"a path of one machine: {match[0]}"


def check_tree(root):
    """Yields (file, line number, message) for each violation under `root`."""
    paths = [path for path in root.iterdir() if path.is_file()]
    for folder in FOLDERS:
        paths += (root / folder).rglob("*")
    for path in sorted(paths):
        known = path.suffix in COMMENT or path.suffix == ".md" or is_build_file(path) or path.parent.name == ".ci"
        if not known or not path.is_file():
            continue
        file = path.relative_to(root).as_posix()
        for number, message in check_file(file, path, path.read_text(encoding="utf-8").splitlines()):
            yield file, number, message


TITLE = ("// What this file is for.", False)

# file -> its lines, each with whether it is a violation.
PLANTED = {
    "engine/base/a.cpp": [
        TITLE,
        ("std::cout << 1;", True),
        ('std::fprintf(stderr, "no");', True),
        ('std::snprintf(buffer, size, "x");', False),
        ("if (bad) std::abort();", True),
        ("if (bad) exit(1);", True),
        ("thread.exit(); loop_exit(); on_exit(1);", False),
        ('fail("call exit(1)");  // never abort()', False),
    ],
    "engine/cli/a.cpp": [TITLE, ("std::exit(1);", False), ('open("/' + 'tmp/x");', True)],
    "engine/base/untitled.hpp": [("#pragma once", True)],
    "engine/text/table.inc": [("// A generated table.", False)] + [("0,", False)] * MAX_LINES,
    "tests/long.cpp": [TITLE] + [("int x;", False)] * (MAX_LINES - 1) + [("int last;", True)],
    "tests/full.cpp": [TITLE] + [("int x;", False)] * (MAX_LINES - 1),
    "scripts/a.sh": [("#!/bin/sh", False), ("echo", True), ("ls /" + "root/a", True), ('ls "$root/tmp/a"', False)],
    "scripts/b.py": [("#!/usr/bin/env python3", False), ("# Says what it is for.", False)],
    "cmake/a.cmake": [("# Never -march=native.", False), ("add_compile_options(-march=native)", True)],
    "CMakeLists.txt": [("add_compile_options(-ffast-math)", True)],
    "README.md": [("see https://example.org/home/x", False), ("cd /" + "home/me", True)],
}


if __name__ == "__main__":
    check_tool.main(check_tree, PLANTED)
