// Texts to vectors with all-MiniLM-L6-v2, tokenizing included.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/support/minilm.hpp"
#include "bench/support/run.hpp"
#include "headway/embedder.hpp"

namespace headway {
namespace {

// The text in the middle of all by its number of tokens.
std::string median_text(std::vector<std::string> texts) {
  const Tokenizer tokenizer = Tokenizer::open(minilm_directory());
  const auto middle = texts.begin() + static_cast<int64_t>(texts.size() / 2);
  std::nth_element(texts.begin(), middle, texts.end(), [&](const auto& a, const auto& b) {
    return tokenizer.encode(a).ids.size() < tokenizer.encode(b).ids.size();
  });
  return *middle;
}

// One call with all the texts.
void embed_bench(benchmark::State& state, const std::vector<std::string>& texts,
                 Precision precision, int threads) {
  const Embedder embedder =
      Embedder::open(minilm_directory(), {.threads = threads, .precision = precision});
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  std::vector<float> vectors(views.size() * static_cast<size_t>(embedder.dim()));
  EmbedStats stats = embedder.embed(views, vectors.data());  // creates primitives and slabs
  for ([[maybe_unused]] auto _ : state) stats = embedder.embed(views, vectors.data());
  const auto rate = [&](int64_t count) {
    return benchmark::Counter(static_cast<double>(count),
                              benchmark::Counter::kIsIterationInvariantRate);
  };
  state.counters["texts"] = rate(stats.texts);
  state.counters["tokens"] = rate(stats.tokens);
}

void add_cases() {
  const std::vector<std::string> texts = mixed_texts();
  const std::vector<std::string> one{median_text(texts)};
  const auto add = [](const char* name, const std::vector<std::string>& texts, Precision precision,
                      int threads) {
    const std::string full = std::string("embed/") + name + "/" + to_string(precision) +
                             "/team:" + std::to_string(threads);
    benchmark::RegisterBenchmark(full.c_str(), embed_bench, texts, precision, threads)
        ->UseRealTime()
        ->MeasureProcessCPUTime()
        ->Unit(benchmark::kMillisecond);
  };
  for (const Precision precision : bench_precisions()) {
    for (const int threads : bench_threads()) {
      add("all_2000_texts", texts, precision, threads);
      add("one_text_of_median_length", one, precision, threads);
    }
  }
}

}  // namespace
}  // namespace headway

int main(int argc, char** argv) {
  return headway::run_benchmarks(argc, argv, headway::add_cases);
}
