#!/usr/bin/env bash
# Puts what the Python package is built and tested with into the virtual environment .venv-python, from PyPI.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

requirements=$root/scripts/requirements-python.txt
target=$root/.venv-python
python=$(python_with_pip) || die "pip is missing (Debian, Ubuntu: python3-pip)"
stamp="$("$python" --version) $(sha256sum <"$requirements")"

if [ "$(cat "$target/headway-stamp" 2>/dev/null)" = "$stamp" ]; then
  echo "The tools of the Python package are already in .venv-python"
  exit 0
fi
# Without pip, which Debian's Python can only put there with another package: this one's serves it.
"$python" -m venv --clear --without-pip "$target"
"$python" -m pip --python "$target/bin/python" install --quiet --disable-pip-version-check --only-binary :all: \
  --requirement "$requirements"
echo "$stamp" >"$target/headway-stamp"
echo "The tools of the Python package are in .venv-python"
