// headway info: what the engine found on this machine, and what it knows of a model.
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/message.hpp"
#include "engine/cli/byte_sink.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/progress.hpp"
#include "engine/embed/task.hpp"
#include "engine/kernels/targets.hpp"
#include "engine/ops/instruction_set.hpp"
#include "engine/ops/onednn.hpp"
#include "engine/platform/cpu.hpp"
#include "engine/platform/isa.hpp"
#include "headway/classifier.hpp"
#include "headway/embedder.hpp"
#include "headway/masked_lm.hpp"
#include "headway/multi_vector_embedder.hpp"
#include "headway/reranker.hpp"
#include "headway/sparse_embedder.hpp"
#include "headway/token_classifier.hpp"
#include "headway/version.h"

namespace headway::cli {
namespace {

struct Arguments {
  std::string model;
};

std::string line(std::string_view name, std::string_view value) {
  constexpr size_t kColumn = 18;
  std::string text(name);
  text.resize(kColumn, ' ');
  return text.append(value).append("\n");
}

std::string megabytes(size_t bytes) {
  return fixed(static_cast<double>(bytes) / (1 << 20), 1) + " MiB";
}

std::string machine() {
  hold_instruction_set();
  std::string text = line("headway", HEADWAY_VERSION);
  const std::string lowered =
      max_isa() == cpu_isa() ? "" : cat(", lowered from ", to_string(cpu_isa()));
  text += line("instructions", to_string(max_isa()) + lowered);
  text += line("Highway", kernel_target());
  text += line("oneDNN", cat(onednn_isa(), ", version ", onednn_version()));
  text += line("usable cores", std::to_string(usable_cores()));
  text += line("default threads", std::to_string(default_threads()));
  return text;
}

// "document (empty), query; query by default"
std::string prompt_names(const ModelInfo& model) {
  std::string names;
  for (const auto& [name, text] : model.prompts)
    names += cat(names.empty() ? "" : ", ", name, text.empty() ? " (empty)" : "");
  return names + (model.default_prompt_name.empty()
                      ? "; none by default"
                      : cat("; ", model.default_prompt_name, " by default"));
}

std::string label_names(const ModelInfo& model) {
  std::string names;
  for (const std::string& label : model.labels) names += cat(names.empty() ? "" : ", ", label);
  return names;
}

// Of an Embedder or a TextModel.
std::string model_facts(const auto& opened) {
  const ModelInfo& model = opened.info();
  const EngineInfo engine = opened.engine().info();
  // A line that says where its fact comes from, where a file decided it.
  const auto fact = [&](std::string_view name, const std::string& field, const std::string& value) {
    const auto source = model.sources.find(field);
    return line(name,
                source == model.sources.end() ? value : cat(value, " (from ", source->second, ")"));
  };
  std::string text =
      line("architecture",
           cat(model.architecture, ", ", model.layers, " layers, hidden size ", model.hidden_size,
               ", ", model.heads, " heads, vocabulary ", model.vocabulary));
  text += fact("weights", "weights", cat(grouped(model.parameters), " of ", model.weights));
  text += fact("tokenizer", "tokenizer", model.tokenizer);
  text += fact("longest text", "max_length", cat(model.max_length, " tokens"));
  if (model.query_length > 0)
    text +=
        fact("longest query", "query_length",
             cat(model.query_length, " tokens",
                 model.query_expansion > 0 ? cat(", filled up to ", model.query_expansion) : ""));
  if (!model.pooling.empty()) text += fact("pooling", "pooling", model.pooling);
  // What is neither pooled nor activated are vectors of tokens.
  if (!model.pooling.empty() || model.activation.empty())
    text += fact("vectors", "dim", cat(model.dim, " numbers"));
  if (!model.labels.empty()) text += fact("labels", "labels", label_names(model));
  if (!model.activation.empty()) {
    text += fact("activation", "activation", model.activation);
  } else {
    text += fact("normalize", "normalize", model.normalize ? "yes" : "no");
  }
  text += fact("prompts", "prompts", prompt_names(model));
  text += line("packed weights", megabytes(engine.packed_weights));
  const Batch longest = Batch::dense(1, model.max_length);
  text += line("working memory", cat(megabytes(opened.engine().planned_memory(longest)),
                                     " a thread for one text of ", model.max_length, " tokens"));
  return text;
}

// With what the model is for, and the command that does it.
std::string model_facts(const std::string& directory) {
  switch (find_task(directory)) {
    case Task::embedding:
      return line("task", "vectors of texts: headway embed") +
             model_facts(Embedder::open(directory));
    case Task::sparse_embedding:
      return line("task", "sparse vectors of texts: headway embed-sparse") +
             model_facts(SparseEmbedder::open(directory));
    case Task::late_interaction:
      return line("task", "documents by relevance to a query, by their tokens: headway rerank") +
             model_facts(MultiVectorEmbedder::open(directory));
    case Task::classification:
      return line("task", "labels of texts: headway classify") +
             model_facts(Classifier::open(directory));
    case Task::reranking:
      return line("task", "documents by relevance to a query: headway rerank") +
             model_facts(Reranker::open(directory));
    case Task::token_classification:
      return line("task", "entities in texts: headway tag") +
             model_facts(TokenClassifier::open(directory));
    case Task::mask_filling:
      return line("task",
                  "tokens for the gaps of texts: headway fill-mask; vectors of texts, the mean of "
                  "their tokens: headway embed") +
             model_facts(MaskedLM::open(directory));
  }
  return "";
}

void run(const Arguments& args) {
  std::string text = machine();
  if (!args.model.empty()) {
    text += line("model", args.model);
    text += model_facts(args.model);
  }
  print(text);
}

}  // namespace

Command add_info(CLI::App& parent) {
  auto args = std::make_shared<Arguments>();
  CLI::App* app =
      parent.add_subcommand("info", "Show what Headway uses of this machine, and model facts");
  add_model(*app, args->model);
  app->footer("Example:\n  headway info --model models/all-MiniLM-L6-v2");
  return {app, [args] { run(*args); }};
}

}  // namespace headway::cli
