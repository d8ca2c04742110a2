// What a command is: options on the command line, and what it does once they are parsed. One file
// a command; main.cpp lists them.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <optional>
#include <string>

#include "headway/embedder.hpp"
#include "headway/operations.hpp"

namespace headway::cli {

struct Command {
  CLI::App* options;          // owned by its parent
  std::function<void()> run;  // throws headway::Error, or a CLI::ParseError for wrong usage
};

// Each adds itself under `parent`, which is the program or the command `bench`.
Command add_embed(CLI::App& parent);
Command add_multihead(CLI::App& parent);
Command add_embed_sparse(CLI::App& parent);
Command add_rerank(CLI::App& parent);
Command add_classify(CLI::App& parent);
Command add_tag(CLI::App& parent);
Command add_fill_mask(CLI::App& parent);
Command add_heads(CLI::App& parent);
Command add_info(CLI::App& parent);
Command add_bench_multihead(CLI::App& parent);
Command add_bench_embed(CLI::App& parent);

// A whole number of at least 1, for check(). Help says what the number is, not its bounds.
inline CLI::Validator positive(int64_t most = int64_t{1} << 31) {
  return CLI::Range(int64_t{1}, most).description("");
}

// --threads, the same for all commands that compute.
inline void add_threads(CLI::App& app, int& threads) {
  app.add_option("--threads", threads,
                 "Cores to use (default: as many as this process may use,\n"
                 "or OMP_NUM_THREADS when that is less)")
      ->type_name("N")
      ->check(positive(4096));
}

// --precision, the same for all commands that compute.
inline void add_precision(CLI::App& app, Precision& precision) {
  app.add_option_function<std::string>(
         "--precision",
         [&precision](const std::string& name) {
           for (const Precision each : {Precision::f32, Precision::bf16, Precision::int8})
             if (name == to_string(each)) precision = each;
         },
         "f32, bf16 or int8, of the matrix products (default: f32); bf16 needs a CPU with\n"
         "AVX512_BF16, int8 one with AVX512_VNNI")
      ->type_name("NAME")
      ->check(CLI::IsMember({"f32", "bf16", "int8"}).description(""));
}

// --threads, --precision and --max-length: how all commands on texts open their model.
inline void add_open_options(CLI::App& app, EmbedderOptions& options) {
  add_threads(app, options.threads);
  add_precision(app, options.precision);
  app.add_option("--max-length", options.max_length,
                 "Tokens of a text at most, special ones included; the rest is cut\n"
                 "(default: the model's limit)")
      ->type_name("N")
      ->check(positive());
}

// --model, for all commands with a model.
inline CLI::Option* add_model(CLI::App& app, std::string& model) {
  return app
      .add_option("--model", model,
                  "Model directory, as sentence-transformers writes and the hub holds it")
      ->type_name("DIR");
}

// --prompt and --prompt-name.
inline void add_prompt_options(CLI::App& app, std::optional<std::string>& prompt,
                               std::optional<std::string>& prompt_name) {
  auto* text =
      app.add_option("--prompt", prompt, "Put this before every text, as it is")->type_name("TEXT");
  app.add_option("--prompt-name", prompt_name,
                 "Put this prompt of the model before every text (headway info lists them)")
      ->type_name("NAME")
      ->excludes(text);
}

// --input and --output of the commands that make JSON lines of `lines`, "Texts".
inline void add_json_lines_files(CLI::App& app, const std::string& lines, std::string& input,
                                 std::string& output) {
  app.add_option("--input", input, lines + " (default: -, standard input)")->type_name("FILE");
  app.add_option("--output", output, "JSON lines (default: -, standard output)")->type_name("FILE");
}

// --seconds and --json of the benchmarks.
inline void add_bench_options(CLI::App& app, double& seconds, bool& json) {
  app.add_option("--seconds", seconds, "Measure for so long, and 5 passes at least (default: 3)")
      ->type_name("S")
      ->check(CLI::Range(0.0, 86400.0).description(""));
  app.add_flag("--json", json, "Print one JSON object on one line");
}

}  // namespace headway::cli
