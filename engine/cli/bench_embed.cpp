// headway bench embed: the time of texts to vectors, tokenizing included.
#include <memory>
#include <string>
#include <vector>

#include "engine/cli/bench_loop.hpp"
#include "engine/cli/byte_sink.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/interrupt.hpp"
#include "engine/cli/line_reader.hpp"
#include "engine/cli/progress.hpp"
#include "headway/embedder.hpp"

namespace headway::cli {
namespace {

struct Arguments {
  std::string model, input;
  EmbedderOptions options;
  double seconds = 3;
  bool json = false;
};

std::vector<std::string> read_lines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines = reader.rest();
  if (lines.empty()) fail(ErrorCode::invalid_argument, reader.name(), " holds no texts to embed");
  return lines;
}

Batch tokenized(const Embedder& embedder, const std::vector<std::string>& texts) {
  const EncodeOptions options{.max_length = static_cast<size_t>(embedder.info().max_length)};
  std::vector<int64_t> lengths;
  std::vector<int32_t> ids;
  for (const std::string& text : texts) {
    ids.clear();
    embedder.tokenizer().encode_append(text, options, ids);
    lengths.push_back(static_cast<int64_t>(ids.size()));
  }
  return Batch::ragged(lengths);
}

void run(const Arguments& args) {
  const std::vector<std::string> texts = read_lines(args.input);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const Embedder embedder = Embedder::open(args.model, args.options);
  std::vector<float> vectors(views.size() * static_cast<size_t>(embedder.dim()));
  EmbedStats stats;
  const BenchTimes times = time_passes(args.seconds, [&] {
    stats = embedder.embed(views, vectors.data(), {.stop = interrupt_token()});
  });

  const EngineInfo engine = embedder.engine().info();
  const double flops = embedder.engine().flops(tokenized(embedder, texts));
  const double texts_per_s = static_cast<double>(stats.texts) / times.min_s;
  const double tokens_per_s = static_cast<double>(stats.tokens) / times.min_s;
  if (args.json) {
    print(bench_json(times, engine, flops)
              .add("texts", stats.texts)
              .add("tokens", stats.tokens)
              .add("truncated", stats.truncated)
              .add("texts_per_s", texts_per_s)
              .add("tokens_per_s", tokens_per_s)
              .str() +
          "\n");
  } else {
    print(cat(grouped(stats.texts), " texts, ", grouped(stats.tokens), " tokens: ",
              fixed(texts_per_s, 1), " texts/s, ", grouped(static_cast<int64_t>(tokens_per_s)),
              " tokens/s\n", bench_text(times, engine, flops), "\n"));
  }
}

}  // namespace

Command add_bench_embed(CLI::App& parent) {
  auto args = std::make_shared<Arguments>();
  CLI::App* app = parent.add_subcommand(
      "embed", "Time texts to vectors, tokenizing included; a pass is the whole file");
  add_model(*app, args->model)->required();
  app->add_option("--input", args->input, "File with one text a line (-: standard input)")
      ->required()
      ->type_name("FILE");
  add_open_options(*app, args->options);
  add_bench_options(*app, args->seconds, args->json);
  app->footer(
      "Example:\n  headway bench embed --model models/all-MiniLM-L6-v2 --input texts.txt --json");
  return {app, [args] { run(*args); }};
}

}  // namespace headway::cli
