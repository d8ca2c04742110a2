#!/usr/bin/env bash
# Puts oneDNN 3.2 (x86-64, GNU OpenMP) into .deps/onednn, for distributions that carry only 2.x. It comes from two PyPI
# wheels pinned by SHA-256: building oneDNN from source takes a quarter of an hour on 2 cores.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

runtime_hash=2f22a54d6a890ed14bfa185d42a4be65d8b5b1df85dc1f0f3a9abe31620416fb
devel_hash=9763c69e8c907e119056bd52ad918ca84ac9ba939d130a99dfa95ccca3e5e284
target=$root/.deps/onednn
# Written last and moved into place with the rest, so where it is, everything is.
stamp="onednn-cpu-gomp 2023.2.0 $runtime_hash $devel_hash"

is_ready() {
  [ "$(cat "$target/headway-stamp" 2>/dev/null)" = "$stamp" ] && [ -e "$target/lib/libdnnl.so" ] &&
    [ -e "$target/lib/cmake/dnnl/dnnl-config.cmake" ]
}

if is_ready; then
  echo "oneDNN is already in .deps/onednn"
  exit 0
fi
[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] ||
  die "PyPI's oneDNN is for x86-64 Linux only, and this is $(uname -s) on $(uname -m). Install the system's oneDNN" \
    "(Debian, Ubuntu: libdnnl-dev) if it is 3.2 or newer; else build oneDNN from source and set dnnl_DIR to the folder" \
    "with its dnnl-config.cmake."

mkdir -p "$root/.deps"
work=$(mktemp -d "$root/.deps/onednn.XXXXXX")
trap 'rm -rf "$work"' EXIT
download_wheels "$work" <<REQUIREMENTS
onednn-cpu-gomp==2023.2.0 --hash=sha256:$runtime_hash
onednn-devel-cpu-gomp==2023.2.0 --hash=sha256:$devel_hash
REQUIREMENTS

new=$work/onednn
unpack_wheel "$work"/onednn_devel_cpu_gomp-*.whl onednn_devel_cpu_gomp-2023.2.0.data/data/ "$new"
# The wheel holds the 54 MB library three times, once under each of its names; two of them are links here.
unpack_wheel "$work"/onednn_cpu_gomp-*.whl onednn_cpu_gomp-2023.2.0.data/data/ "$new" lib/libdnnl.so lib/libdnnl.so.3
ln -s libdnnl.so.3.2 "$new/lib/libdnnl.so.3"
ln -s libdnnl.so.3 "$new/lib/libdnnl.so"
# CMake 4 refuses to imitate anything before 3.5, which the wheel's file asks for.
sed -i 's/^cmake_policy(VERSION 2\.6)$/cmake_policy(VERSION 3.5...3.22)/' "$new/lib/cmake/dnnl/dnnl-targets.cmake"
echo "$stamp" >"$new/headway-stamp"

# What stands there is of another version or was never finished: it makes way as a whole.
[ ! -e "$target" ] || mv -T "$target" "$work/old"
# This fails if another run was faster; then its result is as good.
mv -T "$new" "$target" 2>/dev/null || is_ready || die "cannot move $new to $target"
echo "oneDNN 3.2 is in .deps/onednn"
