// headway embed: texts, one a line, to vectors.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cli/byte_sink.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/interrupt.hpp"
#include "engine/cli/line_reader.hpp"
#include "engine/cli/progress.hpp"
#include "engine/cli/vector_writer.hpp"
#include "engine/platform/isa.hpp"
#include "headway/embedder.hpp"

namespace headway::cli {
namespace {

struct Arguments {
  std::string model, input = "-", output = "-", stats;
  std::optional<VectorFormat> format;
  EmbedderOptions options;
  int64_t dimensions = 0;
  std::optional<std::string> prompt, prompt_name;

  EmbedOptions chosen() const { return {prompt, prompt_name, dimensions}; }
  VectorFormat chosen_format() const {
    if (format) return *format;
    return output.ends_with(".jsonl") ? VectorFormat::jsonl : VectorFormat::npy;
  }
};

// How many texts to read at once: as many as take about 2 s, so that the threads seldom wait for
// the last text of a window and progress is seen all the same.
class WindowSize {
 public:
  size_t texts() const { return texts_; }
  void took(size_t texts, double seconds) {
    constexpr double kSeconds = 2;
    constexpr size_t kGrowth = 4;  // the first windows say little about the next
    constexpr size_t kMin = 64;
    constexpr size_t kMax = 16384;  // bounds memory: 25 MB of vectors at dim 384
    const double wanted = static_cast<double>(texts) * kSeconds / std::max(seconds, 1e-9);
    const double most = static_cast<double>(std::min(kMax, texts_ * kGrowth));
    texts_ = std::max(kMin, static_cast<size_t>(std::min(wanted, most)));
  }

 private:
  size_t texts_ = 256;
};

EmbedStats embed_all(const Embedder& embedder, const EmbedOptions& chosen, LineReader& reader,
                     VectorWriter& writer, ProgressLine& progress) {
  const Stopwatch total;
  const auto dim = static_cast<size_t>(embedder.dim_of(chosen));
  EmbedStats stats;
  WindowSize window;
  std::vector<float> vectors;
  while (true) {
    const auto texts = reader.next(window.texts());
    if (texts.empty()) return stats;
    check_interrupt();
    const Stopwatch watch;
    vectors.resize(std::max(vectors.size(), texts.size() * dim));
    stats += embedder.embed(texts, vectors.data(), {.stop = interrupt_token()}, chosen);
    writer.write(std::span(vectors).first(texts.size() * dim));
    window.took(texts.size(), watch.seconds());
    progress.update(stats, reader.position(), total.seconds());
  }
}

void run(const Arguments& args) {
  refuse_same_file("--output", args.output, "--input", args.input);
  refuse_same_file("--stats", args.stats, "--input", args.input);
  refuse_same_file("--stats", args.stats, "--output", args.output);
  LineReader reader(args.input);
  ByteSink sink(args.output);
  if (args.chosen_format() == VectorFormat::npy)
    sink.refuse_terminal("use --output FILE, a pipe, or --format jsonl");
  std::optional<ByteSink> stats_sink;
  if (!args.stats.empty()) stats_sink.emplace(args.stats);
  const Embedder embedder = Embedder::open(args.model, args.options);
  const auto writer =
      make_vector_writer(sink, args.chosen_format(), embedder.dim_of(args.chosen()));
  reader.invite("text");

  const Stopwatch watch;
  EmbedSummary summary;
  {
    ProgressLine progress(reader.size());
    summary.stats = embed_all(embedder, args.chosen(), reader, *writer, progress);
    writer->finish();
  }
  summary.seconds = watch.seconds();
  summary.threads = embedder.engine().info().threads;
  summary.precision = args.options.precision;
  summary.isa = to_string(max_isa());
  // Both files or, where that is possible, none.
  if (stats_sink) stats_sink->write(summary.json());
  sink.commit();
  if (stats_sink) stats_sink->commit();
  std::fprintf(stderr, "headway: %s\n", summary.sentence().c_str());
}

constexpr const char* kFooter =
    "Texts: a line is a text, all its bytes but the newline. Empty lines are texts, a last line\n"
    "without newline counts. Bytes that are not UTF-8 become U+FFFD. Memory does not grow with "
    "the\n"
    "input; a line may have 64 MiB at most.\n"
    "\n"
    "Vectors: in the order of the texts; float32 [texts, dim] as npy, or a JSON array of dim\n"
    "numbers a line. A file appears only when it is complete. npy to a pipe waits in a temporary\n"
    "file (TMPDIR says where), because the row count stands at its start.\n"
    "\n"
    "Examples:\n"
    "  headway embed --model models/all-MiniLM-L6-v2 --input texts.txt --output vectors.npy\n"
    "  printf 'one text\\nanother\\n' | headway embed --model models/all-MiniLM-L6-v2 --format "
    "jsonl";

}  // namespace

Command add_embed(CLI::App& parent) {
  auto args = std::make_shared<Arguments>();
  CLI::App* app = parent.add_subcommand("embed", "Turn texts, one a line, into vectors");
  add_model(*app, args->model)->required();
  app->add_option("--input", args->input, "Texts (default: -, standard input)")->type_name("FILE");
  app->add_option("--output", args->output, "Vectors (default: -, standard output)")
      ->type_name("FILE");
  const std::map<std::string, VectorFormat> formats{{"npy", VectorFormat::npy},
                                                    {"jsonl", VectorFormat::jsonl}};
  app->add_option_function<std::string>(
         "--format", [args, formats](const std::string& name) { args->format = formats.at(name); },
         "npy or jsonl (default: jsonl for an output named *.jsonl, else npy)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"npy", "jsonl"}).description(""));
  add_open_options(*app, args->options);
  add_prompt_options(*app, args->prompt, args->prompt_name);
  app->add_option("--dimensions", args->dimensions,
                  "Only so many numbers of each vector, made length 1 again if the model's are:\n"
                  "for models trained as Matryoshka")
      ->type_name("N")
      ->check(positive());
  app->add_option("--stats", args->stats, "Also write the closing summary as JSON")
      ->type_name("FILE");
  app->footer(kFooter);
  return {app, [args] { run(*args); }};
}

}  // namespace headway::cli
