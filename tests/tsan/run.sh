#!/usr/bin/env bash
# Looks for data races: builds what computes on several threads with clang and ThreadSanitizer, in WORK_FOLDER, and runs
# its tests: run.sh WORK_FOLDER [COMPILER_LAUNCHER]. Archer, a part of LLVM's OpenMP, tells the sanitizer what OpenMP
# synchronizes. Exits with 77, which ctest shows as a test that did not run, where there are no tools to do it with.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

work=$(realpath -m "$1")
compiler_launcher=${2:-}
skip() {
  echo "NOT TESTED: data races. $1"
  exit 77
}

mkdir -p "$work"
echo 'int main() {}' | clang++ -fsanitize=thread -fopenmp -x c++ - -o "$work/empty" ||
  skip "There is no clang++ with ThreadSanitizer and OpenMP (Debian: clang, libclang-rt-dev, libomp-dev)."
openmp=$(ldd "$work/empty" | sed -n 's/.*libomp.* => \([^ ]*\) .*/\1/p')
archer=$(dirname "$(realpath "$openmp")")/libarcher.so
[ -e "$archer" ] || skip "LLVM's OpenMP has no libarcher.so beside it (Debian: libomp-dev)."

# The kernels for one instruction set take a third of the time to compile.
others="HWY_SSSE3|HWY_SSE4|HWY_AVX3|HWY_AVX3_DL"
if grep -qw avx512bw /proc/cpuinfo; then others="HWY_SSSE3|HWY_SSE4|HWY_AVX2|HWY_AVX3_DL"; fi
flags="-O1 -g1 -DNDEBUG"
cmake -S "$root" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DHEADWAY_SANITIZE=thread \
  -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_COMPILER_LAUNCHER="$compiler_launcher" \
  -DCMAKE_C_FLAGS_RELWITHDEBINFO="$flags" -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="$flags" \
  -DCMAKE_CXX_FLAGS="-DHWY_DISABLED_TARGETS='($others)'" -DHEADWAY_BUILD_BENCHMARKS=OFF -DHEADWAY_BUILD_CLI=OFF
cmake --build "$work/build" --parallel "$(nproc)" --target tsan_control test_runtime test_graph test_bindings_c \
  test_soak

# oneDNN, and LLVM's OpenMP, are not compiled with the sanitizer: what they lock and unlock by themselves says nothing.
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 die_after_fork=0"
export OMP_TOOL_LIBRARIES=$archer
cd "$work/build/bin"

# Where the kernel places memory too much at random, old sanitizers do not start.
run=()
if ! ./tsan_control start >"$work/start.log" 2>&1; then
  run=(setarch -R)
  "${run[@]}" ./tsan_control start >"$work/start.log" 2>&1 ||
    skip "Programs with ThreadSanitizer do not start here: $(tail -n 3 "$work/start.log")"
fi

must_report() {
  if "$@" >"$work/control.log" 2>&1 || ! grep -q 'data race' "$work/control.log"; then
    cat "$work/control.log"
    die "no data race was reported of '$*'"
  fi
}
must_report "${run[@]}" ./tsan_control race
"${run[@]}" ./tsan_control barrier
# Without Archer that one looks like a race.
must_report env ARCHER_OPTIONS=enable=0 "${run[@]}" ./tsan_control barrier

# Without forks while other threads run, which the sanitizer does not support: the child may hang.
"${run[@]}" ./test_runtime --gtest_brief=1 --gtest_filter='-*fork*:*first_leaves:*have_started:*system_grants'
"${run[@]}" ./test_graph --gtest_brief=1 --gtest_filter='-Fork.*:Idle.*'
"${run[@]}" ./test_bindings_c --gtest_brief=1 --gtest_filter='CHandles.*:CEmbedder.SixteenThreads*'
"${run[@]}" ./test_soak --gtest_brief=1
