// Attention alone, every strategy on one thread: one sequence of each shape of bench/shapes,
// all-MiniLM-L6-v2's heads at lengths that double, and what decoders and encoder-decoders do.
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
#include "engine/ops/precision.hpp"
#include "engine/runtime/arena.hpp"
#include "tests/support/random.hpp"

namespace headway {
namespace {

struct Case {
  std::string name;
  int64_t queries, keys, heads, kv_heads, size;
  ScoreRule rule = {};  // but for the scale
};

// Multiply-adds as two, of the keys that are seen.
double flops(const Case& c) {
  double seen = 0;
  for (int64_t i = 0; i < c.queries; ++i) {
    const KeyRange keys = c.rule.band(to_size(i), 1, to_size(c.keys));
    seen += static_cast<double>(keys.end - keys.begin);
  }
  return 4.0 * seen * static_cast<double>(c.heads * c.size);
}

void attention_bench(benchmark::State& state, const Case& c, const AttentionMethod& method,
                     bool bf16) {
  hold_instruction_set();
  Random random(1);
  const int64_t q_width = c.heads * c.size, kv_width = c.kv_heads * c.size;
  // Rows q | k | v, or rows of q and rows of k | v.
  const bool self = c.queries == c.keys;
  const int64_t q_row = self ? q_width + 2 * kv_width : q_width;
  const int64_t kv_row = self ? q_row : 2 * kv_width;
  const std::vector<float> q = random.normals(c.queries * q_row);
  const std::vector<float> kv = self ? std::vector<float>() : random.normals(c.keys * kv_row);
  const float* k = self ? q.data() + q_width : kv.data();
  AttentionShape shape{.queries = c.queries,
                       .keys = c.keys,
                       .heads = c.heads,
                       .kv_heads = c.kv_heads,
                       .size = c.size,
                       .value_size = c.size,
                       .q = {c.size, q_row},
                       .k = {c.size, kv_row},
                       .v = {c.size, kv_row},
                       .out = {c.size, q_width},
                       .scores = {c.queries * c.keys, c.keys},
                       .rule = c.rule,
                       .bf16 = bf16};
  shape.rule.scale = 1.0f / std::sqrt(static_cast<float>(c.size));
  std::vector<float> out(to_size(c.queries * q_width)), scores;
  if (method.needs_scores) scores.resize(to_size(c.heads * c.queries * c.keys));
  MemoryMeter meter;
  Arena arena(meter);
  std::byte* scratch = arena.reserve(method.scratch_bytes(shape, false));
  const AttentionData data{.q = q.data(),
                           .k = k,
                           .v = k + kv_width,
                           .out = out.data(),
                           .scores = method.needs_scores ? scores.data() : nullptr};
  const AttentionItem step = method.item_size(shape);
  for ([[maybe_unused]] auto _ : state) {
    for (int64_t query = 0; query < c.queries; query += step.queries) {
      for (int64_t head = 0; head < c.heads; head += step.heads) {
        const AttentionItem item{.head = head,
                                 .heads = std::min(step.heads, c.heads - head),
                                 .query = query,
                                 .queries = std::min(step.queries, c.queries - query)};
        method.run(shape, data, item, scratch);
      }
    }
  }
  state.counters["FLOP"] =
      benchmark::Counter(flops(c), benchmark::Counter::kIsIterationInvariantRate);
}

void add_case(const Case& c) {
  const std::string name = "attention/" + c.name + "/" + std::to_string(c.queries) + "x" +
                           std::to_string(c.keys) + "_h" + std::to_string(c.heads) + "of" +
                           std::to_string(c.size) + "/";
  const auto add = [&](const AttentionMethod& method, bool bf16) {
    benchmark::RegisterBenchmark((name + method.name + (bf16 ? "_bf16" : "")).c_str(),
                                 attention_bench, c, method, bf16)
        ->Unit(benchmark::kMicrosecond);
  };
  for (const AttentionMethod& method : attention_methods()) {
    add(method, false);
    if (method.has_bf16 && is_fast(Precision::bf16)) add(method, true);
  }
}

void add_self(const std::string& source, int64_t tokens, int64_t dim, int64_t heads) {
  add_case({source, tokens, tokens, heads, heads, dim / heads});
}

void add_cases() {
  std::set<std::string> known;  // shapes that differ in their batch alone
  for (const BenchShape& shape : bench_shapes()) {
    BenchShape one = shape;
    one.batch = 1;
    if (known.insert(one.name()).second) add_self(one.source, one.tokens, one.dim, one.heads);
  }
  for (int64_t tokens = 8; tokens <= 4096; tokens *= 2) add_self("lengths", tokens, 384, 12);

  const ScoreRule causal{.last = 0};
  // Mistral's heads: 32 of 128 that share 8 of keys; a prompt, and single tokens after it.
  for (const int64_t tokens : {128, 1024, 4096}) {
    add_case({"causal", tokens, tokens, 12, 12, 64, causal});
    add_case({"grouped", tokens, tokens, 32, 8, 128, causal});
    add_case({"decode", 1, tokens, 32, 8, 128});
  }
  // ModernBERT's local layers see 64 tokens to either side.
  for (const int64_t tokens : {512, 8192})
    add_case({"window", tokens, tokens, 12, 12, 64, {.first = -64, .last = 64}});
  // A decoder beside an encoder's 512 tokens (T5).
  for (const int64_t queries : {1, 32, 128}) add_case({"cross", queries, 512, 8, 8, 64});
  add_case({"long", 16384, 16384, 1, 1, 64, causal});
}

}  // namespace
}  // namespace headway

int main(int argc, char** argv) {
  return headway::run_benchmarks(argc, argv, headway::add_cases);
}
