// What the benchmark binaries share: their main, and the thread counts and precisions they compare.
#pragma once

#include <functional>
#include <vector>

#include "headway/operations.hpp"

namespace headway {

// 1 and, where it differs, the default (the cores this process may use, or OMP_NUM_THREADS).
std::vector<int> bench_threads();

// Those this CPU is fast in; an engine refuses the others.
std::vector<Precision> bench_precisions();

// Reads Google Benchmark's options, calls `add` to register the cases and runs those asked for.
// Holds the kernels to HEADWAY_MAX_ISA, and writes it and the default thread count above the
// results. What is thrown is printed; returns the exit code.
int run_benchmarks(int argc, char** argv, const std::function<void()>& add);

}  // namespace headway
