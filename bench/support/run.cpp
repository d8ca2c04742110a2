// Google Benchmark's main with cases registered at start-up and facts about the run.
#include "bench/support/run.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>

#include "engine/kernels/targets.hpp"
#include "engine/ops/instruction_set.hpp"
#include "engine/ops/precision.hpp"
#include "engine/platform/cpu.hpp"
#include "engine/platform/isa.hpp"

namespace headway {

std::vector<int> bench_threads() {
  const int all = default_threads();
  return all == 1 ? std::vector{1} : std::vector{1, all};
}

std::vector<Precision> bench_precisions() {
  std::vector<Precision> fast;
  for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8})
    if (is_fast(precision)) fast.push_back(precision);
  return fast;
}

int run_benchmarks(int argc, char** argv, const std::function<void()>& add) {
  try {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    hold_instruction_set();
    benchmark::AddCustomContext("isa", to_string(max_isa()));
    benchmark::AddCustomContext("kernels", kernel_target());
    benchmark::AddCustomContext("default threads", std::to_string(default_threads()));
    add();
    // 0 cases: the filter fits none. Google Benchmark says so and would leave it at that.
    const bool ran = benchmark::RunSpecifiedBenchmarks() > 0;
    benchmark::Shutdown();
    return ran ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace headway
