// headway classify: the labels of texts, one a line.
#include <memory>
#include <string>

#include "engine/cli/byte_sink.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/json_lines.hpp"
#include "engine/cli/line_reader.hpp"
#include "engine/formats/json_writer.hpp"
#include "headway/classifier.hpp"

namespace headway::cli {
namespace {

struct Arguments {
  std::string model, input = "-", output = "-";
  EmbedderOptions options;
};

// {"label": "good", "scores": {"bad": 0.1, "good": 0.9}}
std::string line(const std::vector<std::string>& labels, std::span<const float> scores) {
  size_t best = 0;
  JsonObjectWriter all;
  for (size_t i = 0; i < scores.size(); ++i) {
    all.add_raw(labels[i], json_number(scores[i]));
    if (scores[i] > scores[best]) best = i;
  }
  return JsonObjectWriter().add("label", labels[best]).add_raw("scores", all.str()).str() + "\n";
}

void run(const Arguments& args) {
  refuse_same_file("--output", args.output, "--input", args.input);
  LineReader reader(args.input);
  ByteSink sink(args.output);
  const Classifier classifier = Classifier::open(args.model, args.options);
  write_json_lines(reader, sink, [&](auto texts, const RunOptions& options, std::string& lines) {
    const Classes classes = classifier.classify(texts, options);
    for (int64_t i = 0; i < classes.texts; ++i)
      lines += line(classifier.info().labels, classes.row(i));
    return classes.stats;
  });
}

constexpr const char* kFooter =
    "Texts: a line is a text, as for headway embed.\n"
    "\n"
    "Output: a JSON object a line, in the order of the texts: the label with the greatest score,\n"
    "and the scores of all labels.\n"
    "\n"
    "Examples:\n"
    "  headway classify --model models/distilbert-sst2 --input texts.txt --output labels.jsonl";

}  // namespace

Command add_classify(CLI::App& parent) {
  auto args = std::make_shared<Arguments>();
  CLI::App* app = parent.add_subcommand("classify", "Say which label texts, one a line, have");
  add_model(*app, args->model)->required();
  add_json_lines_files(*app, "Texts", args->input, args->output);
  add_open_options(*app, args->options);
  app->footer(kFooter);
  return {app, [args] { run(*args); }};
}

}  // namespace headway::cli
