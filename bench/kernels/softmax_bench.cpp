// The softmax kernel on one thread, over rows as long as attention makes them.
#include <benchmark/benchmark.h>

#include "bench/support/run.hpp"
#include "engine/kernels/softmax.hpp"
#include "tests/support/random.hpp"

namespace headway {
namespace {

// In place, so from the second iteration on over its own results: the kernel takes the same
// instructions for all finite values, and restoring the input would be measured too.
void softmax_bench(benchmark::State& state) {
  const auto rows = static_cast<size_t>(state.range(0));
  const auto n = static_cast<size_t>(state.range(1));
  Random random(1);
  std::vector<float> scores = random.normals(state.range(0) * state.range(1));
  softmax_rows(scores.data(), rows, n, n, 0.125f);
  for ([[maybe_unused]] auto _ : state) {
    softmax_rows(scores.data(), rows, n, n, 0.125f);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(1));
}

// Rows of one head: of the seed, of short and long texts, and of the long shape, where only some
// of the 4096 queries are taken so that the scores fit a second-level cache.
void add_cases() {
  benchmark::RegisterBenchmark("softmax", softmax_bench)
      ->ArgNames({"rows", "n"})
      ->Args({10, 10})
      ->Args({16, 16})
      ->Args({64, 64})
      ->Args({128, 128})
      ->Args({256, 256})
      ->Args({32, 4096});
}

}  // namespace
}  // namespace headway

int main(int argc, char** argv) {
  return headway::run_benchmarks(argc, argv, headway::add_cases);
}
