// The MultiHead layer at every shape of bench/shapes, with every attention strategy and in every
// precision.
#include <benchmark/benchmark.h>

#include "bench/support/run.hpp"
#include "bench/support/shapes.hpp"
#include "engine/ops/attention.hpp"
#include "headway/engine.hpp"
#include "headway/layers.hpp"
#include "tests/support/random.hpp"

namespace headway {
namespace {

// The layer of DESIGN.md's first section: no bias for q, k and v, one for the output.
void multi_head_bench(benchmark::State& state, const BenchShape& shape, AttentionStrategy strategy,
                      Precision precision, int threads) {
  Random random(1);
  const LinearNumbers qkv(random, shape.dim, 3 * shape.dim, false);
  const LinearNumbers out(random, shape.dim, shape.dim);
  Graph graph;
  const Value x = graph.input("x", DType::f32, shape.dim);
  graph.output("y", multi_head(graph, x, {.qkv = {qkv.weights()}, .out = out.weights()},
                               {.heads = shape.heads, .strategy = strategy})
                        .output);
  const Engine engine = compile(graph, {.threads = threads}, {.precision = precision});

  const Batch batch = Batch::dense(shape.batch, shape.tokens);
  const Shape tensor{shape.batch, shape.tokens, shape.dim};
  const std::vector<float> input = random.normals(tensor.elements());
  std::vector<float> output(input.size());
  const auto run = [&] {
    engine.run({{"x", batch, TensorView(input.data(), tensor)}},
               {{"y", MutableTensorView(output.data(), tensor)}});
  };
  run();  // creates primitives and slabs
  for ([[maybe_unused]] auto _ : state) run();
  state.counters["FLOP"] =
      benchmark::Counter(engine.flops(batch), benchmark::Counter::kIsIterationInvariantRate);
}

void add_shape(const BenchShape& shape, const AttentionMethod& method) {
  for (const Precision precision : bench_precisions()) {
    for (const int threads : bench_threads()) {
      const std::string name = "multi_head/" + shape.name() + "/" + method.name + "/" +
                               to_string(precision) + "/team:" + std::to_string(threads);
      benchmark::RegisterBenchmark(name.c_str(), multi_head_bench, shape, method.strategy,
                                   precision, threads)
          ->UseRealTime()
          ->MeasureProcessCPUTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

void add_cases() {
  for (const BenchShape& shape : bench_shapes())
    for (const AttentionMethod& method : attention_methods()) add_shape(shape, method);
}

}  // namespace
}  // namespace headway

int main(int argc, char** argv) {
  return headway::run_benchmarks(argc, argv, headway::add_cases);
}
