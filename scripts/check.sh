#!/usr/bin/env bash
# Checks what needs no build: format, layers, style, and the scripts themselves. Says everything that is wrong, then fails.
# Needs clang-format 14 (others break lines elsewhere) and shellcheck: scripts/install_deps.sh --checks.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

clang_format=$(command -v clang-format-14 || command -v clang-format) || die "clang-format 14 is missing"
"$clang_format" --version | grep -q 'version 14\.' ||
  die "clang-format 14 is needed; $clang_format is $("$clang_format" --version)"
command -v shellcheck >/dev/null || die "shellcheck is missing"

failed=0
check() {
  local name=$1
  shift
  if "$@"; then
    echo "$name: ok"
  else
    echo "$name: FAILED"
    failed=1
  fi
}

mapfile -d '' sources < <(find engine include tests bench \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' -o -name '*.c' \) -print0)
check format "$clang_format" --dry-run -Werror "${sources[@]}"
check layers scripts/check_layers.py
check style scripts/check_style.py
check readme scripts/check_readme.py
check scripts shellcheck --external-sources scripts/*.sh bench/peers/*.sh tests/*/*.sh .ci/run
exit "$failed"
