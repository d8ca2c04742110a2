// Attention alone, every strategy on one thread: one sequence of each shape of bench/shapes, and
// all-MiniLM-L6-v2's heads at lengths that double.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bench/support/run.hpp"
#include "bench/support/shapes.hpp"
#include "engine/ops/attention.hpp"
#include "engine/ops/instruction_set.hpp"
#include "engine/runtime/arena.hpp"
#include "tests/support/random.hpp"

namespace headway {
namespace {

void attention_bench(benchmark::State& state, int64_t tokens, int64_t dim, int64_t heads,
                     const AttentionMethod& method) {
  hold_instruction_set();
  const std::vector<float> qkv = Random(1).normals(tokens * 3 * dim);
  const AttentionShape shape{.queries = tokens,
                             .keys = tokens,
                             .heads = heads,
                             .size = dim / heads,
                             .q_stride = 3 * dim,
                             .k_stride = 3 * dim,
                             .v_stride = 3 * dim,
                             .out_stride = dim,
                             .scale = 1.0f / std::sqrt(static_cast<float>(dim / heads))};
  std::vector<float> out(tokens * dim), scores;
  if (method.needs_scores) scores.resize(heads * tokens * tokens);
  MemoryMeter meter;
  Arena arena(meter);
  std::byte* scratch = arena.reserve(method.scratch_bytes(shape, false));
  const AttentionData data{.q = qkv.data(),
                           .k = qkv.data() + dim,
                           .v = qkv.data() + 2 * dim,
                           .out = out.data(),
                           .scores = method.needs_scores ? scores.data() : nullptr};
  const AttentionItem step = method.item_size(shape);
  for ([[maybe_unused]] auto _ : state) {
    for (int64_t query = 0; query < tokens; query += step.queries) {
      for (int64_t head = 0; head < heads; head += step.heads) {
        const AttentionItem item{.head = head,
                                 .heads = std::min(step.heads, heads - head),
                                 .query = query,
                                 .queries = std::min(step.queries, tokens - query)};
        method.run(shape, data, item, scratch);
      }
    }
  }
  // q k^T and w v.
  state.counters["FLOP"] =
      benchmark::Counter(4.0 * static_cast<double>(tokens) * static_cast<double>(tokens * dim),
                         benchmark::Counter::kIsIterationInvariantRate);
}

void add_shape(const std::string& source, int64_t tokens, int64_t dim, int64_t heads) {
  for (const AttentionMethod& method : attention_methods()) {
    const std::string name = "attention/" + source + "/" + std::to_string(tokens) + "x" +
                             std::to_string(dim) + "_h" + std::to_string(heads) + "/" + method.name;
    benchmark::RegisterBenchmark(name.c_str(), attention_bench, tokens, dim, heads, method)
        ->Unit(benchmark::kMicrosecond);
  }
}

void add_cases() {
  std::set<std::string> known;  // shapes that differ in their batch alone
  for (const BenchShape& shape : bench_shapes()) {
    BenchShape one = shape;
    one.batch = 1;
    if (known.insert(one.name()).second) add_shape(one.source, one.tokens, one.dim, one.heads);
  }
  for (int64_t tokens = 8; tokens <= 4096; tokens *= 2) add_shape("lengths", tokens, 384, 12);
}

}  // namespace
}  // namespace headway

int main(int argc, char** argv) {
  return headway::run_benchmarks(argc, argv, headway::add_cases);
}
