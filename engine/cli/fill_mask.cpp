// headway fill-mask: the tokens that fill the gaps of texts, one a line.
#include <memory>
#include <string>

#include "engine/cli/byte_sink.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/json_lines.hpp"
#include "engine/cli/line_reader.hpp"
#include "engine/formats/json_writer.hpp"
#include "headway/masked_lm.hpp"

namespace headway::cli {
namespace {

struct Arguments {
  std::string model, input = "-", output = "-";
  int64_t top_k = 5;
  EmbedderOptions options;
};

// {"masks": [[{"id": 3000, "text": "cat", "score": 0.9}]]}
std::string line(const std::vector<std::vector<FilledToken>>& masks) {
  std::vector<std::string> all;
  for (const auto& tokens : masks) {
    std::vector<std::string> items;
    for (const FilledToken& token : tokens)
      items.push_back(JsonObjectWriter()
                          .add("id", token.id)
                          .add("text", token.text)
                          .add("score", token.score)
                          .str());
    all.push_back(json_array(items));
  }
  return JsonObjectWriter().add_raw("masks", json_array(all)).str() + "\n";
}

void run(const Arguments& args) {
  refuse_same_file("--output", args.output, "--input", args.input);
  LineReader reader(args.input);
  ByteSink sink(args.output);
  const MaskedLM model = MaskedLM::open(args.model, args.options);
  write_json_lines(reader, sink, [&](auto texts, const RunOptions& options, std::string& lines) {
    const FilledMasks filled = model.fill_mask(texts, static_cast<size_t>(args.top_k), options);
    for (const auto& masks : filled.texts) lines += line(masks);
    return filled.stats;
  });
}

constexpr const char* kFooter =
    "Texts: a line is a text, as for headway embed, with the model's mask token in each place "
    "that\n"
    "is to be filled: [MASK] for BERT, <mask> for RoBERTa.\n"
    "\n"
    "Output: a JSON object a line, in the order of the texts: for each mask the likeliest tokens,\n"
    "with their probabilities.\n"
    "\n"
    "Examples:\n"
    "  printf 'The cat sat on the [MASK].\\n' | headway fill-mask --model models/bert-base-uncased";

}  // namespace

Command add_fill_mask(CLI::App& parent) {
  auto args = std::make_shared<Arguments>();
  CLI::App* app =
      parent.add_subcommand("fill-mask", "Fill the gaps of texts, one a line, with tokens");
  add_model(*app, args->model)->required();
  add_json_lines_files(*app, "Texts", args->input, args->output);
  app->add_option("--top-k", args->top_k, "Tokens for each mask (default: 5)")
      ->type_name("N")
      ->check(positive());
  add_open_options(*app, args->options);
  app->footer(kFooter);
  return {app, [args] { run(*args); }};
}

}  // namespace headway::cli
