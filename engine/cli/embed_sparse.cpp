// headway embed-sparse: texts, one a line, to sparse vectors over the vocabulary.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cli/byte_sink.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/json_lines.hpp"
#include "engine/cli/line_reader.hpp"
#include "engine/formats/json_writer.hpp"
#include "headway/sparse_embedder.hpp"

namespace headway::cli {
namespace {

struct Arguments {
  std::string model, input = "-", output = "-";
  EmbedderOptions options;
  std::optional<std::string> prompt, prompt_name;
};

// {"ids": [2003, 4937], "tokens": ["is", "cat"], "weights": [0.1, 1.5]}
std::string line(const Tokenizer& tokenizer, const SparseVector& vector) {
  std::vector<std::string> ids, tokens, weights;
  for (size_t i = 0; i < vector.tokens.size(); ++i) {
    ids.push_back(std::to_string(vector.tokens[i]));
    tokens.push_back(json_escape(tokenizer.id_to_token(vector.tokens[i]).value_or("")));
    weights.push_back(json_number(vector.weights[i]));
  }
  return JsonObjectWriter()
             .add_raw("ids", json_array(ids))
             .add_raw("tokens", json_array(tokens))
             .add_raw("weights", json_array(weights))
             .str() +
         "\n";
}

void run(const Arguments& args) {
  refuse_same_file("--output", args.output, "--input", args.input);
  LineReader reader(args.input);
  ByteSink sink(args.output);
  const SparseEmbedder embedder = SparseEmbedder::open(args.model, args.options);
  const EmbedOptions chosen{.prompt = args.prompt, .prompt_name = args.prompt_name};
  write_json_lines(reader, sink, [&](auto texts, const RunOptions& options, std::string& lines) {
    const SparseEmbeddings embeddings = embedder.embed(texts, options, chosen);
    for (const SparseVector& vector : embeddings.vectors)
      lines += line(embedder.tokenizer(), vector);
    return embeddings.stats;
  });
}

constexpr const char* kFooter =
    "Texts: a line is a text, as for headway embed.\n"
    "\n"
    "Output: a JSON object a line, in the order of the texts: the ids of the tokens whose numbers\n"
    "are above 0, ascending, these tokens, and the numbers.\n"
    "\n"
    "Examples:\n"
    "  headway embed-sparse --model models/splade-v3 --input texts.txt --output vectors.jsonl";

}  // namespace

Command add_embed_sparse(CLI::App& parent) {
  auto args = std::make_shared<Arguments>();
  CLI::App* app = parent.add_subcommand(
      "embed-sparse", "Turn texts, one a line, into sparse vectors over the vocabulary (SPLADE)");
  add_model(*app, args->model)->required();
  add_json_lines_files(*app, "Texts", args->input, args->output);
  add_open_options(*app, args->options);
  add_prompt_options(*app, args->prompt, args->prompt_name);
  app->footer(kFooter);
  return {app, [args] { run(*args); }};
}

}  // namespace headway::cli
