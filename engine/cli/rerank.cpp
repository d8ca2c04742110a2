// headway rerank: documents, one a line, in the order in which they answer a query.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "engine/cli/byte_sink.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/interrupt.hpp"
#include "engine/cli/line_reader.hpp"
#include "engine/cli/progress.hpp"
#include "engine/embed/task.hpp"
#include "engine/formats/json_writer.hpp"
#include "headway/multi_vector_embedder.hpp"
#include "headway/reranker.hpp"

namespace headway::cli {
namespace {

struct Arguments {
  std::string model, query, input = "-", output = "-";
  int64_t top_k = 0;
  EmbedderOptions options;
};

// `model` is a Reranker or what else has its score().
template <typename Model>
void rerank(const Model& model, const Arguments& args, LineReader& reader, ByteSink& sink) {
  reader.invite("document");
  const std::vector<std::string> lines = reader.rest();  // all: the best may be the last
  check_interrupt();
  const std::vector<std::string_view> documents(lines.begin(), lines.end());
  std::vector<float> scores(documents.size());
  RunOptions options;
  options.stop = interrupt_token();
  const EmbedStats stats = model.score(args.query, documents, scores.data(), options);
  for (const RankedDocument& document : rank(scores, static_cast<size_t>(args.top_k)))
    sink.write(JsonObjectWriter()
                   .add("index", document.index)
                   .add_raw("score", json_number(document.score))
                   .add("document", documents[document.index])
                   .str() +
               "\n");
  sink.commit();
  std::fprintf(stderr, "headway: %zu documents%s\n", documents.size(), cut_note(stats).c_str());
}

void run(const Arguments& args) {
  refuse_same_file("--output", args.output, "--input", args.input);
  LineReader reader(args.input);
  ByteSink sink(args.output);
  if (find_task(args.model) == Task::late_interaction)
    rerank(MultiVectorEmbedder::open(args.model, args.options), args, reader, sink);
  else
    rerank(Reranker::open(args.model, args.options), args, reader, sink);
}

constexpr const char* kFooter =
    "Models: cross-encoders, which read the query with each document, and late interaction "
    "(ColBERT).\n"
    "\n"
    "Documents: a line is a document. All of them are read before the first is written.\n"
    "\n"
    "Output: a JSON object a line, the best document first: its number among the lines, from 0 "
    "on,\n"
    "its score and its text.\n"
    "\n"
    "Examples:\n"
    "  headway rerank --model models/ms-marco-MiniLM-L6-v2 --query \"what is a cat?\" --top-k 3 "
    "\\\n"
    "    --input documents.txt";

}  // namespace

Command add_rerank(CLI::App& parent) {
  auto args = std::make_shared<Arguments>();
  CLI::App* app = parent.add_subcommand(
      "rerank", "Put documents, one a line, in the order in which they answer a query");
  add_model(*app, args->model)->required();
  app->add_option("--query", args->query, "What the documents are to answer")
      ->required()
      ->type_name("TEXT");
  add_json_lines_files(*app, "Documents", args->input, args->output);
  app->add_option("--top-k", args->top_k, "Only the best so many (default: all)")
      ->type_name("N")
      ->check(positive());
  add_open_options(*app, args->options);
  app->footer(kFooter);
  return {app, [args] { run(*args); }};
}

}  // namespace headway::cli
