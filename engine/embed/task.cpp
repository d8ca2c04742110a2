// Reading modules.json and config.json for what they are about.
#include "engine/embed/task.hpp"

#include <algorithm>
#include <string_view>

#include "engine/embed/late_interaction.hpp"
#include "engine/embed/optional_json.hpp"
#include "engine/embed/pipeline.hpp"
#include "engine/models/config.hpp"
#include "engine/models/heads.hpp"

namespace headway {
namespace {

// "BertForSequenceClassification", or nothing.
std::string_view first_architecture(JsonNode config) {
  const auto names = find_value(config, "architectures");
  return names && names->is_array() && names->size() > 0 ? (*names)[0].as_string() : "";
}

}  // namespace

Task find_task(const std::filesystem::path& directory) {
  if (is_late_interaction(directory)) return Task::late_interaction;
  const Pipeline pipeline = read_pipeline(directory);
  const auto has = [&](std::string_view kind) {
    return std::any_of(pipeline.modules.begin(), pipeline.modules.end(),
                       [&](const Module& module) { return module.kind == kind; });
  };
  if (has("SpladePooling")) return Task::sparse_embedding;
  const auto config = read_optional_json(pipeline.transformer / "config.json");
  if (!pipeline.modules.empty() || !config) return Task::embedding;
  const std::string_view name = first_architecture(config->root());
  if (name.ends_with("ForTokenClassification")) return Task::token_classification;
  if (name.ends_with("ForMaskedLM")) return Task::mask_filling;
  if (name.ends_with("ForSequenceClassification"))
    return read_labels(*config).size() == 1 ? Task::reranking : Task::classification;
  return Task::embedding;
}

}  // namespace headway
