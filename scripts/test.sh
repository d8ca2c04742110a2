#!/usr/bin/env bash
# Builds everything and runs every test: scripts/test.sh [--preset release|debug|asan] [options for ctest, as -R NAME].
# Works from a fresh clone. Its last lines are ctest's.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=release
if [ "${1:-}" = --preset ]; then
  preset=${2:?--preset needs a name: release, debug or asan}
  shift 2
fi
models=(all-MiniLM-L6-v2)
if [ "${HEADWAY_LONG_TESTS:-}" = 1 ]; then models+=(all-mpnet-base-v2); fi
begin_steps $((5 + ${#models[@]})) "$root/build/test-$preset.log"
cd "$root"

step "Install the packages that are missing" scripts/install_deps.sh
step "Get oneDNN" get_onednn_if_needed
for model in "${models[@]}"; do
  step "Get the model $model" scripts/get_model.sh "$model"
done
step "Get the tools of the Python package" get_python_tools_if_possible
step "Configure ($preset)" configure "$preset"
step "Build (minutes the first time; progress in build/test-$preset.log)" build "$preset"
exec ctest --preset "$preset" --parallel "$(nproc)" "$@" </dev/null
