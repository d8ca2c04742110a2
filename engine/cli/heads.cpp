// headway heads: what each head of a model looks at in a text.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "engine/cli/array_file.hpp"
#include "engine/cli/byte_sink.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/heads_page.hpp"
#include "engine/cli/interrupt.hpp"
#include "headway/heads.hpp"

namespace headway::cli {
namespace {

struct Arguments {
  std::string model, text, output = "heads.html";
  std::optional<int64_t> layer;
  EmbedderOptions options;
};

// "6 layers, 12 heads each, 9 tokens"
std::string sentence(const AttentionMaps& maps, bool one_layer) {
  const std::string layers = one_layer ? cat("layer ", maps.first_layer, ", ", maps.heads, " heads")
                                       : cat(maps.layers, " layers, ", maps.heads, " heads each");
  return cat(layers, ", ", maps.tokens.size(), " tokens",
             maps.truncated ? "; the text was truncated" : "");
}

void run(const Arguments& args) {
  ByteSink sink(args.output);  // before the work: a place that cannot be written is known at once
  const Heads heads = Heads::open(args.model, args.options);
  const AttentionMaps maps = heads.look(args.text, args.layer, {.stop = interrupt_token()});
  const auto tokens = static_cast<int64_t>(maps.tokens.size());
  if (!args.output.ends_with(".npy"))
    sink.write(heads_page(maps, args.text));
  else if (args.layer)
    write_array(sink, {maps.heads, tokens, tokens}, maps.weights);
  else
    write_array(sink, {maps.layers, maps.heads, tokens, tokens}, maps.weights);
  sink.commit();
  std::fprintf(stderr, "headway: %s\n", sentence(maps, args.layer.has_value()).c_str());
}

constexpr const char* kFooter =
    "The page shows a map for each head: a row is a token that looks, a column one that it looks\n"
    "at; and its entropy (how widely it looks) and strongest links. It is one file that needs no\n"
    "network, with 6,000,000 weights at most: all layers of a model with 6 x 12 heads for 288\n"
    "tokens. Beyond that, ask for one layer, for fewer tokens, or for npy.\n"
    "\n"
    "npy: the attention weights, float32 [layers, heads, T, T]; [heads, T, T] with --layer.\n"
    "\n"
    "Examples:\n"
    "  headway heads --model models/all-MiniLM-L6-v2 --text \"The cat sat, for it was tired.\"\n"
    "  headway heads --model models/all-MiniLM-L6-v2 --text \"...\" --layer 2 --output w.npy";

}  // namespace

Command add_heads(CLI::App& parent) {
  auto args = std::make_shared<Arguments>();
  CLI::App* app =
      parent.add_subcommand("heads", "Show which tokens of a text each head of a model looks at");
  add_model(*app, args->model)->required();
  app->add_option("--text", args->text, "The text")->required()->type_name("TEXT");
  app->add_option("--layer", args->layer, "This layer alone, counted from 0 (default: all)")
      ->type_name("N")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 31).description(""));
  app->add_option("--output", args->output,
                  "An HTML page, or the numbers if the name ends in .npy\n"
                  "(default: heads.html; -: the page to standard output)")
      ->type_name("FILE");
  add_open_options(*app, args->options);
  app->footer(kFooter);
  return {app, [args] { run(*args); }};
}

}  // namespace headway::cli
