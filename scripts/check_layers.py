#!/usr/bin/env python3
# Checks that includes only point down and that each outside library is used in one place only.
# Prints each violation as file:line: message and fails if there is one; --self-test plants violations and fails unless
# exactly those are found.
import re

import check_tool

# A folder of engine/ -> the folders directly below it. It may include those, what is below them, and itself.
BELOW = {
    "base": [],
    "platform": ["base"],
    "runtime": ["platform"],
    "kernels": ["platform"],
    "ops": ["runtime", "kernels"],
    "layers": ["ops"],
    "graph": ["layers"],
    "formats": ["platform"],
    "text": ["formats"],
    "models": ["graph", "text"],
    "embed": ["models"],
    "bindings": ["embed"],
    "cli": ["embed"],
}

# A public header -> the lowest folder that may include it. The others speak of plain data and belong to all.
PUBLIC_HOME = {
    "headway/graph.hpp": "layers",
    "headway/layers.hpp": "layers",
    "headway/engine.hpp": "graph",
    "headway/tokenizer.hpp": "text",
    "headway/embedder.hpp": "embed",
    "headway/heads.hpp": "embed",
    "headway/headway.hpp": "cli",
    "headway/headway.h": "bindings",
}

# An outside library, recognized by its header -> the files of engine/ that may include it.
LIBRARY_HOME = [
    (r"omp\.h", r"engine/runtime/parallel\..*"),
    (r"(oneapi/)?dnnl.*", r"engine/ops/onednn\..*"),
    (r"hwy/.*", r"engine/kernels/.*"),
    (r"simdjson.*", r"engine/formats/.*"),
    (r"CLI/.*", r"engine/cli/.*"),
    (r"nanobind/.*", r"engine/bindings/python/.*"),
]

# What a public header may include besides public headers: the libraries of C++ and C.
STANDARD_HEADER = r"[a-z_]+|(string|std(bool|def|int|io|lib))\.h"

INCLUDE = re.compile(r'\s*#\s*(?:include|define\s+HWY_TARGET_INCLUDE)\s*([<"])([^>"]+)[>"]')
PRAGMA_OMP = re.compile(r'\s*#\s*pragma\s+omp\b|.*\b_Pragma\s*\(\s*"\s*omp\b')
SOURCES = {".hpp", ".cpp", ".h", ".c", ".inc"}


def reach(folder):
    """The folders that `folder` may include."""
    return {folder}.union(*(reach(lower) for lower in BELOW[folder]))


def check_engine_include(file, folder, header):
    """What is wrong with an include in engine/folder/, or None."""
    if header.startswith("engine/"):
        target = header.split("/")[1]
        if target not in reach(folder):
            return f"engine/{folder} must not include engine/{target}, which is not below it"
        if file.startswith("engine/bindings/python/") and not header.startswith("engine/bindings/python/"):
            return f"engine/bindings/python stands on the public headers alone, not on {header}"
    elif header.startswith("headway/"):
        home = "bindings" if header.startswith("headway/c/") else PUBLIC_HOME.get(header, folder)
        if home not in reach(folder):
            return f"engine/{folder} must not include {header}, which belongs to engine/{home}"
    for pattern, home in LIBRARY_HOME:
        if re.fullmatch(pattern, header) and not re.fullmatch(home, file):
            return f"<{header}> may be included only in {home}".replace("\\.", ".").replace(".*", "*")
    return None


def check_public_include(file, header, quoted):
    """What is wrong with an include in a file that may use public headers only, or None."""
    # An example is a program: what other libraries it needs is its own affair.
    if header.startswith("headway/") if quoted else file.startswith("tests/") or re.fullmatch(STANDARD_HEADER, header):
        return None
    return f"only public and standard headers may be included here, not {header}"


def check_line(file, line):
    """What is wrong with one line of `file` (a path from the root), or None."""
    if PRAGMA_OMP.match(line):
        # The control of the check for data races is about OpenMP's barrier.
        if not re.fullmatch(r"engine/runtime/parallel\..*|tests/tsan/control\.cpp", file):
            return "OpenMP may be used only in engine/runtime/parallel.*"
        return None
    match = INCLUDE.match(line)
    if not match:
        return None
    quoted, header = match[1] == '"', match[2]
    if quoted and not re.match(r"(engine|headway|tests|bench|hwy)/", header):
        return f'"{header}" is not a path from the root of the project'
    if file.startswith(("include/", "tests/examples/")):
        return check_public_include(file, header, quoted)
    if file.startswith("engine/"):
        if header.startswith(("tests/", "bench/")):
            return f"the library must not include {header}"
        return check_engine_include(file, file.split("/")[1], header)
    return None


def check_tree(root):
    """Yields (file, line number, message) for each violation under `root`."""
    for top in ["include", "engine", "tests", "bench"]:
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            file = path.relative_to(root).as_posix()
            if file.startswith("engine/") and file.split("/")[1] not in BELOW:
                yield file, 1, f"{file.split('/')[1]} is no folder that this check knows; add it to BELOW"
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                message = check_line(file, line)
                if message:
                    yield file, number, message


# file -> its lines, each with whether it is a violation.
PLANTED = {
    "include/headway/graph.hpp": [
        ("#include <vector>", False),
        ("#include <stdint.h>", False),
        ('#include "headway/tensor.hpp"', False),
        ("#include <omp.h>", True),
        ("#include <hwy/base.h>", True),
        ('#include "engine/base/checked.hpp"', True),
    ],
    "engine/base/a.hpp": [
        ('#include "engine/base/b.hpp"', False),
        ('#include "headway/tensor.hpp"', False),
        ('#include "engine/platform/file.hpp"', True),
        ('#include "headway/graph.hpp"', True),
        ('#include "headway/c/base.h"', True),
        ('#include "b.hpp"', True),
    ],
    "engine/runtime/a.cpp": [
        ('#include "engine/platform/file.hpp"', False),
        ('  #  include "engine/kernels/softmax.hpp"', True),
        ("#include <omp.h>", True),
        ("#pragma omp parallel", True),
        ('_Pragma("omp simd")', True),
        ("#pragma once", False),
    ],
    "engine/runtime/parallel.cpp": [("#include <omp.h>", False), ("#pragma omp parallel", False)],
    "tests/tsan/control.cpp": [("#pragma omp barrier", False)],
    "tests/runtime/team_test.cpp": [("#pragma omp barrier", True)],
    "engine/kernels/a.cpp": [
        ('#define HWY_TARGET_INCLUDE "engine/kernels/a.cpp"', False),
        ('#include "hwy/foreach_target.h"', False),
        ('#define HWY_TARGET_INCLUDE "engine/ops/a.cpp"', True),
        ("#include <oneapi/dnnl/dnnl.hpp>", True),
    ],
    "engine/ops/onednn.cpp": [
        ("#include <oneapi/dnnl/dnnl.hpp>", False),
        ('#include "engine/kernels/softmax.hpp"', False),
        ('#include "engine/runtime/arena.hpp"', False),
        ('#include "engine/layers/linear.hpp"', True),
    ],
    "engine/ops/matmul.cpp": [("#include <dnnl.h>", True), ('#include "headway/layers.hpp"', True)],
    "engine/layers/a.cpp": [('#include "headway/graph.hpp"', False), ('#include "engine/graph/plan.hpp"', True)],
    "engine/graph/a.cpp": [('#include "engine/models/bert.hpp"', True), ('#include "engine/text/a.hpp"', True)],
    "engine/formats/a.cpp": [("#include <simdjson.h>", False), ('#include "engine/ops/a.hpp"', True)],
    "engine/text/a.cpp": [
        ('#include "engine/formats/json.hpp"', False),
        ('#include "headway/tokenizer.hpp"', False),
        ("#include <simdjson.h>", True),
        ('#include "engine/runtime/team.hpp"', True),
    ],
    "engine/models/a.cpp": [
        ('#include "engine/graph/plan.hpp"', False),
        ('#include "engine/text/a.hpp"', False),
        ('#include "engine/embed/a.hpp"', True),
    ],
    "engine/embed/a.cpp": [('#include "engine/models/a.hpp"', False), ('#include "tests/a.hpp"', True)],
    "engine/bindings/python/a.cpp": [
        ("#include <nanobind/nanobind.h>", False),
        ('#include "headway/embedder.hpp"', False),
        ('#include "engine/bindings/python/a.hpp"', False),
        ('#include "engine/base/message.hpp"', True),
    ],
    "engine/bindings/c/a.cpp": [("#include <nanobind/nanobind.h>", True)],
    "engine/cli/a.cpp": [("#include <CLI/CLI.hpp>", False), ('#include "engine/bindings/c/a.hpp"', True)],
    "engine/extra/a.cpp": [("// a folder that nobody announced", True)],
    "tests/kernels/a.cpp": [('#include "hwy/highway.h"', False), ('#include "engine/kernels/a.hpp"', False)],
    "tests/examples/a.cpp": [
        ('#include "headway/headway.hpp"', False),
        ("#include <httplib.h>", False),
        ('#include "engine/base/a.hpp"', True),
    ],
}


if __name__ == "__main__":
    check_tool.main(check_tree, PLANTED)
