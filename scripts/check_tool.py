# What the source checks share: reporting, and a self-test on planted violations. A check that finds nothing proves
# nothing until it is seen to find.
import pathlib
import sys
import tempfile


def self_test(check_tree, planted):
    """Writes the planted files and runs the check on them; true if exactly the lines marked bad are found.

    planted: {file: [(line, is it a violation), ...]}
    """
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        expected = set()
        for file, lines in planted.items():
            path = root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(line + "\n" for line, _ in lines), encoding="utf-8")
            expected |= {(file, number) for number, (_, bad) in enumerate(lines, 1) if bad}
        found = {(file, number) for file, number, _ in check_tree(root)}
    for file, number in sorted(expected - found):
        print(f"not found: {file}: {planted[file][number - 1][0]}")
    for file, number in sorted(found - expected):
        print(f"found, but right: {file}: {planted[file][number - 1][0]}")
    print(f"{len(expected)} violations planted, {len(expected & found)} of them found")
    return expected == found


def main(check_tree, planted):
    """check_tree(root) yields (file, line number, message) for each violation."""
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(0 if self_test(check_tree, planted) else 1)
    if len(sys.argv) > 1:
        sys.exit(f"usage: {sys.argv[0]} [--self-test]")
    violations = list(check_tree(pathlib.Path(__file__).resolve().parent.parent))
    for file, number, message in violations:
        print(f"{file}:{number}: {message}")
    sys.exit(1 if violations else 0)
