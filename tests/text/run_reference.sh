#!/usr/bin/env bash
# The long form of the golden tests: every scalar value and 200,000 random strings of each kind of tokenizer, and places of
# 20,000, against the library `tokenizers` itself: run_reference.sh WORK_FOLDER BINARIES. Takes most of an hour. Exits with
# 77, which ctest shows as a test that did not run, without HEADWAY_LONG_TESTS=1.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

work=$1 binary=$2/encode_lines
if [ "${HEADWAY_LONG_TESTS:-}" != 1 ]; then
  echo "NOT TESTED: the reference library itself. HEADWAY_LONG_TESTS=1 asks for that."
  exit 77
fi
python=$(python_with_pip)
grep -E '^(tokenizers|transformers)==' "$root/scripts/requirements-reference.txt" >"$work/reference.txt"
"$python" -m pip install --quiet --disable-pip-version-check --upgrade --target "$work/reference" --requirement "$work/reference.txt"
export PYTHONPATH=$work/reference PYTHONDONTWRITEBYTECODE=1
"$python" "$root/scripts/make_golden_steps.py" --compare "$binary"
"$python" "$root/scripts/make_golden_offsets.py" --compare "$binary"
