#!/usr/bin/env bash
# Compares Headway with its peers on this machine: environment, build, exports, then compare.py with the options given.
# The first run downloads about 3 GB of wheels from PyPI. Results: build/peers/results, or what --output says.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

here=$root/bench/peers
venv=$root/.venv-peers
work=$root/build/peers
model=$root/models/all-MiniLM-L6-v2

new_python() {
  local python
  for python in python3 python3.11 python3.12 python3.13; do
    if "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  return 1
}

# `step` runs these where a failed command does not end them, hence the chains.
venv_if_needed() {
  cmp -s "$here/requirements.txt" "$venv/installed.txt" && return
  local python
  python=$(new_python) || die "Python 3.11 or newer with venv is missing"
  "$python" -m venv --clear "$venv" &&
    "$venv/bin/python" -m pip install --disable-pip-version-check --requirement "$here/requirements.txt" &&
    cp "$here/requirements.txt" "$venv/installed.txt"
}

build_binaries() {
  configure release && build release --target bench_headway_worker bench_limits
}

begin_steps 5 "$work/run.log"
step "Python packages" venv_if_needed
step "oneDNN" get_onednn_if_needed
step "the model" "$root/scripts/get_model.sh"
step "Headway" build_binaries
step "the model as each peer wants it" "$venv/bin/python" "$here/exports.py" "$model" "$work/exports"
exec "$venv/bin/python" "$here/compare.py" \
  --build "$root/build/release/bin" --work "$work" --output "$work/results" "$@"
