// headway info: what the engine found on this machine, and what it knows of a model.
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/message.hpp"
#include "engine/cli/byte_sink.hpp"
#include "engine/cli/command.hpp"
#include "engine/cli/progress.hpp"
#include "engine/kernels/targets.hpp"
#include "engine/ops/instruction_set.hpp"
#include "engine/ops/onednn.hpp"
#include "engine/platform/cpu.hpp"
#include "engine/platform/isa.hpp"
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

std::string model_facts(const Embedder& embedder) {
  const ModelInfo& model = embedder.info();
  const EngineInfo engine = embedder.engine().info();
  std::string text =
      line("architecture", cat(model.architecture, ", ", model.layers, " layers, dim ", model.dim,
                               ", ", model.heads, " heads, vocabulary ", model.vocabulary));
  text += line("parameters", grouped(model.parameters));
  text += line("longest text", cat(model.max_length, " tokens (from ", model.max_length_from, ")"));
  text += line("pooling", model.pooling);
  text += line("normalize", model.normalize ? "yes" : "no");
  text += line("packed weights", megabytes(engine.packed_weights));
  const Batch longest = Batch::dense(1, model.max_length);
  text += line("working memory", cat(megabytes(embedder.engine().planned_memory(longest)),
                                     " a thread for one text of ", model.max_length, " tokens"));
  return text;
}

void run(const Arguments& args) {
  std::string text = machine();
  if (!args.model.empty()) {
    const Embedder embedder = Embedder::open(args.model);
    text += line("model", args.model) + model_facts(embedder);
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
