// The model against the machine: time, floor and the share of the floor that is reached, for each
// kind of layer and for the whole of all-MiniLM-L6-v2, with the default number of threads.
//
// A layer's floor is the larger of flops / peak and bytes / bandwidth. The peak is that of packed
// products in the type the layer computes in, the bandwidth that of reading memory, both measured
// here with as many threads; the bytes are those of its weights, since rows can stay in cache from
// layer to layer. The floor of the whole is their sum.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/limits/machine.hpp"
#include "bench/limits/timed_model.hpp"
#include "bench/support/run.hpp"
#include "engine/platform/cpu.hpp"

namespace headway {
namespace {

using benchmark::Counter;

// One iteration that took `seconds`, measured elsewhere.
void report(benchmark::State& state, double seconds) {
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(seconds);
}

void add_case(const std::string& name, std::function<void(benchmark::State&)> body) {
  benchmark::RegisterBenchmark(("limits/" + name).c_str(), std::move(body))
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

int threads() {
  return default_threads();
}

// The time is that of 10^9 operations or bytes.
void add_machine_cases() {
  for (const Precision precision : bench_precisions()) {
    add_case(std::string("peak/") + to_string(precision), [=](benchmark::State& state) {
      const Peak& peak = gemm_peak(precision, threads());
      report(state, 1e9 / peak.per_second);
      state.counters["FLOP"] = Counter(1e9, Counter::kIsRate);
      state.SetLabel(peak.at);
    });
  }
  add_case("fma/f32", [](benchmark::State& state) {
    report(state, 1e9 / fma_peak(threads()));
    state.counters["FLOP"] = Counter(1e9, Counter::kIsRate);
  });
  add_case("read", [](benchmark::State& state) {
    report(state, 1e9 / read_bandwidth(threads()));
    state.counters["bytes"] = Counter(1e9, Counter::kIsRate);
  });
}

struct Workload {
  std::string name;       // "mix", or "128x32" for 128 texts of 32 tokens
  int64_t sequences = 0;  // 0: the mix
  int64_t tokens = 0;
};

const RunTotals& measured(const Workload& workload, Precision precision) {
  static std::map<std::pair<std::string, Precision>, RunTotals> known;
  const auto [place, fresh] = known.try_emplace({workload.name, precision});
  if (!fresh) return place->second;
  static std::map<Precision, TimedModel> models;
  TimedModel& model = models.try_emplace(precision, precision, threads()).first->second;
  const TokenBatch tokens =
      workload.sequences == 0 ? mixed_batch() : equal_batch(workload.sequences, workload.tokens);
  constexpr int kRuns = 3;  // one of the mix takes seconds
  return place->second = model.run(tokens, kRuns);
}

double floor_of(const LayerTotals& layer) {
  return std::max(layer.flops / gemm_peak(layer.precision, threads()).per_second,
                  layer.weights / read_bandwidth(threads()));
}

// What a layer or the whole run did in `seconds`, and how that compares.
void compare(benchmark::State& state, double seconds, double floor, double run) {
  report(state, seconds);
  state.counters["floor"] = Counter(floor);            // seconds
  state.counters["share"] = Counter(floor / seconds);  // of the floor, reached
  state.counters["of_run"] = Counter(seconds / run);
  state.counters["lost"] = Counter((seconds - floor) / run);  // of the run, above the floor
}

void layer_bench(benchmark::State& state, const Workload& workload, Precision precision,
                 const std::string& kind) {
  const RunTotals& run = measured(workload, precision);
  const auto layer = std::find_if(run.layers.begin(), run.layers.end(),
                                  [&](const LayerTotals& each) { return each.kind == kind; });
  if (layer == run.layers.end()) return state.SkipWithError("the model has no such layer");
  compare(state, layer->seconds, floor_of(*layer), run.seconds);
  state.counters["FLOP"] = Counter(layer->flops, Counter::kIsRate);
  state.counters["bytes"] = Counter(layer->bytes, Counter::kIsRate);
  state.SetLabel(to_string(layer->precision));
}

void model_bench(benchmark::State& state, const Workload& workload, Precision precision) {
  const RunTotals& run = measured(workload, precision);
  LayerTotals all{.kind = "whole", .precision = precision};
  double floor = 0;
  for (const LayerTotals& layer : run.layers) {
    all.flops += layer.flops;
    all.weights += layer.weights;
    all.seconds += layer.seconds;
    floor += floor_of(layer);
  }
  compare(state, run.seconds, floor, run.seconds);
  state.counters["FLOP"] = Counter(all.flops, Counter::kIsRate);
  state.counters["bytes"] = Counter(all.weights, Counter::kIsRate);
  state.counters["outside"] = Counter(1 - all.seconds / run.seconds);  // of layers: plans, waiting
}

void add_model_cases(const Workload& workload, Precision precision,
                     const std::vector<std::string>& kinds) {
  const std::string name = workload.name + "/" + to_string(precision) + "/";
  for (const std::string& kind : kinds) {
    add_case(name + kind,
             [=](benchmark::State& state) { layer_bench(state, workload, precision, kind); });
  }
  add_case(name + "whole",
           [=](benchmark::State& state) { model_bench(state, workload, precision); });
}

void add_cases() {
  add_machine_cases();
  for (const Precision precision : bench_precisions()) {
    add_model_cases(
        {.name = "mix"}, precision,
        {"embeddings", "qkv", "attention", "out_residual", "ffn_up", "ffn_down", "pooling"});
  }
  // Attention by T, which int8 computes in bf16.
  for (const int64_t tokens : {8, 16, 32, 64, 128, 256}) {
    const int64_t sequences = 4096 / tokens;
    const std::string name = std::to_string(sequences) + "x" + std::to_string(tokens);
    for (const Precision precision : bench_precisions()) {
      if (precision != Precision::int8)
        add_model_cases({name, sequences, tokens}, precision, {"attention"});
    }
  }
}

}  // namespace
}  // namespace headway

int main(int argc, char** argv) {
  return headway::run_benchmarks(argc, argv, headway::add_cases);
}
