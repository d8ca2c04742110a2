// Tokenizers on one thread, one of each kind, over the 2000 texts. compare.py beside this sets them
// against the Python package `tokenizers`.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "bench/support/minilm.hpp"
#include "bench/support/run.hpp"
#include "headway/tokenizer.hpp"

namespace headway {
namespace {

void text_bench(benchmark::State& state, const std::filesystem::path& path, bool offsets) {
  const Tokenizer tokenizer = Tokenizer::open(path);
  const std::vector<std::string> texts = mixed_texts();
  size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  std::vector<int32_t> ids;
  for ([[maybe_unused]] auto _ : state) {
    for (const std::string& text : texts) {
      if (offsets) {
        benchmark::DoNotOptimize(tokenizer.encode(text, {.offsets = true}));
        continue;
      }
      ids.clear();
      tokenizer.encode_append(text, {}, ids);
      benchmark::DoNotOptimize(ids.data());
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
}

// Files, or else the kinds of tests/golden/tokenizer/models and all-MiniLM-L6-v2's.
void add_cases(std::vector<std::filesystem::path> files) {
  const std::filesystem::path models = HEADWAY_SOURCE_DIR "/tests/golden/tokenizer/models";
  if (files.empty()) {
    for (const auto& entry : std::filesystem::directory_iterator(models))
      files.push_back(entry.path());
    files.push_back(minilm_directory() / "tokenizer.json");
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    const bool named = file.filename() != "tokenizer.json";
    const auto name = "text/" + (named ? file.stem() : file.parent_path().filename()).string();
    benchmark::RegisterBenchmark(name.c_str(), text_bench, file, false)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark((name + "/offsets").c_str(), text_bench, file, true)
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace
}  // namespace headway

// text_bench [OPTION...] [TOKENIZER_JSON...]
int main(int argc, char** argv) {
  std::vector<char*> options;
  std::vector<std::filesystem::path> files;
  for (char* argument : std::span(argv, static_cast<size_t>(argc))) {
    const bool file = !options.empty() && argument[0] != '-';
    file ? files.emplace_back(argument), void() : options.push_back(argument);
  }
  options.push_back(nullptr);
  return headway::run_benchmarks(static_cast<int>(options.size()) - 1, options.data(),
                                 [&] { headway::add_cases(files); });
}
