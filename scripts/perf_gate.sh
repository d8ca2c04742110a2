#!/usr/bin/env bash
# Compares the speed of the working tree with that of a revision: builds the command of both, runs them in turn and prints the
# ratios with their spread, for use before every commit that is about speed.
# Usage: scripts/perf_gate.sh BASE [--rounds N] [--threads N] [--precision P] [--filter TEXT]
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

[ $# -ge 1 ] || die "name the revision to compare with: scripts/perf_gate.sh BASE [options of perf_gate.py]"
base=$(git rev-parse --verify --quiet "$1^{commit}") || die "$1 is not a revision"
shift

# The base gets a tree of its own, with the same oneDNN.
work=$root/build/perf
mkdir -p "$work"
git worktree prune
[ ! -e "$work/base" ] || git worktree remove --force "$work/base"
git worktree add --quiet --detach "$work/base" "$base"
trap 'git worktree remove --force "$work/base"' EXIT
[ ! -e .deps ] || ln -s "$root/.deps" "$work/base/.deps"

build() {  # SOURCE FOLDER
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHEADWAY_BUILD_TESTS=OFF -DHEADWAY_BUILD_BENCHMARKS=OFF
  cmake --build "$2" --target headway_cli
}
begin_steps 2 "$work/build.log"
step "Building ${base:0:12}" build "$work/base" "$work/build-base" >&2
step "Building the working tree" build "$root" "$work/build-new" >&2

python3 scripts/perf_gate.py "$work/build-base/bin/headway" "$work/build-new/bin/headway" "$@"
