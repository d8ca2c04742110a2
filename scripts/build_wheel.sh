#!/usr/bin/env bash
# Builds the Python package into a wheel that runs on other machines: scripts/build_wheel.sh [FOLDER] (build/wheel if not
# given). What `pip install .` builds needs this machine's libraries; auditwheel takes them into this one, and its name
# says which systems it runs on. Needs scripts/get_python_tools.sh.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

folder=${1:-$root/build/wheel}
tools=$root/.venv-python/bin
[ -e "$root/.venv-python/headway-stamp" ] || die "run scripts/get_python_tools.sh first"
export PATH=$tools:$PATH
if command -v ccache >/dev/null; then
  export CCACHE_BASEDIR=$root CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

rm -rf "$folder"
mkdir -p "$folder/local"
"$(python_with_pip)" -m pip --python "$tools/python" wheel --disable-pip-version-check --no-build-isolation --no-deps \
  --wheel-dir "$folder/local" "$root"
auditwheel repair --wheel-dir "$folder" "$folder"/local/headway-*.whl
auditwheel show "$folder"/headway-*.whl
