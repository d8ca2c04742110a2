// headway info: what the engine found on this machine, and what it knows of a model.
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/message.hpp"
#include "engine/cli/byte_sink.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/progress.hpp"
#include "engine/embed/optional_json.hpp"
#include "engine/embed/pipeline.hpp"
#include "engine/kernels/targets.hpp"
#include "engine/ops/instruction_set.hpp"
#include "engine/ops/onednn.hpp"
#include "engine/platform/cpu.hpp"
#include "engine/platform/isa.hpp"
#include "headway/classifier.hpp"
#include "headway/embedder.hpp"
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

// Whether a directory is of a model that gives texts labels: what its architecture says, without
// modules that make vectors.
bool is_classifier(const std::string& directory) {
  const Pipeline pipeline = read_pipeline(directory);
  const auto config = read_optional_json(pipeline.transformer / "config.json");
  if (!config || !pipeline.modules.empty()) return false;
  const auto names = config->root().find("architectures");
  if (!names || !names->is_array() || names->size() == 0) return false;
  return (*names)[0].as_string().ends_with("ForSequenceClassification");
}

// Of an Embedder or a TextModel.
std::string model_facts(const auto& opened) {
  const ModelInfo& model = opened.info();
  const EngineInfo engine = opened.engine().info();
  std::string text =
      line("architecture", cat(model.architecture, ", ", model.layers, " layers, dim ", model.dim,
                               ", ", model.heads, " heads, vocabulary ", model.vocabulary));
  text += line("parameters", grouped(model.parameters));
  text += line("longest text", cat(model.max_length, " tokens (from ", model.max_length_from, ")"));
  if (model.labels.empty()) {
    text += line("pooling", model.pooling);
    text += line("normalize", model.normalize ? "yes" : "no");
  } else {
    text += line("labels", label_names(model) + " (from config.json: id2label)");
    text += line("activation", model.activation);
  }
  text += line("prompts", prompt_names(model) + " (from config_sentence_transformers.json)");
  text += line("packed weights", megabytes(engine.packed_weights));
  const Batch longest = Batch::dense(1, model.max_length);
  text += line("working memory", cat(megabytes(opened.engine().planned_memory(longest)),
                                     " a thread for one text of ", model.max_length, " tokens"));
  return text;
}

void run(const Arguments& args) {
  std::string text = machine();
  if (!args.model.empty()) {
    text += line("model", args.model);
    text += is_classifier(args.model) ? model_facts(Classifier::open(args.model))
                                      : model_facts(Embedder::open(args.model));
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
