#!/usr/bin/env python3
# Checks that the programs shown in README.md are the files tests/examples/readme_*, which the tests run. A block starts with
# a line `<!-- tests/examples/readme_NAME.cpp -->`, or `.c` or `.py`, above its fence. Prints each violation as
# file:line: message and fails if there is one; --self-test plants violations and fails unless exactly those are found.
import re

import check_tool

EXAMPLES = "tests/examples"
MARK = re.compile(r"<!-- (\S+\.(cpp|c|py)) -->")


def shown_programs(lines):
    """Yields (line number of the mark, file, the lines shown) for each marked block."""
    for number, line in enumerate(lines, 1):
        if match := MARK.fullmatch(line):
            block = lines[number:]
            if not block or block[0] != "```" + match[2] or "```" not in block[1:]:
                yield number, match[1], None
            else:
                yield number, match[1], block[1 : block.index("```", 1)]


def check_tree(root):
    """Yields (file, line number, message) for each violation under `root`."""
    readme = root / "README.md"
    lines = readme.read_text(encoding="utf-8").splitlines() if readme.is_file() else []
    shown = set()
    for number, file, program in shown_programs(lines):
        shown.add(file)
        path = root / file
        if program is None:
            yield "README.md", number, f"no block of its language below the mark of {file}"
        elif not path.is_file():
            yield "README.md", number, f"{file} does not exist"
        elif path.read_text(encoding="utf-8").splitlines() != program:
            yield "README.md", number, f"the program shown differs from {file}"
    for path in sorted((root / EXAMPLES).glob("readme_*.*")):
        file = path.relative_to(root).as_posix()
        if file not in shown:
            yield file, 1, "README.md does not show it"


PLANTED = {
    "tests/examples/readme_a.cpp": [("// A.", False), ("int main() {}", False)],
    "tests/examples/readme_b.cpp": [("// B.", False), ("int main() {}", False)],
    "tests/examples/readme_c.cpp": [("// C: not shown.", True)],
    "tests/examples/readme_d.cpp": [("// D.", False)],
    "tests/examples/readme_e.py": [("# E: not shown.", True)],
    "README.md": [
        ("<!-- tests/examples/readme_a.cpp -->", False),
        *[(line, False) for line in ["```cpp", "// A.", "int main() {}", "```", "text"]],
        ("<!-- tests/examples/readme_b.cpp -->", True),
        *[(line, False) for line in ["```cpp", "// B.", "int main() { }", "```"]],
        ("<!-- tests/examples/readme_d.cpp -->", True),
        ("<!-- tests/examples/readme_gone.cpp -->", True),
        *[(line, False) for line in ["```cpp", "// Gone.", "```"]],
    ],
}


if __name__ == "__main__":
    check_tool.main(check_tree, PLANTED)
