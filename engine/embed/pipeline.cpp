// Reading modules.json and what the modules' directories say.
#include "engine/embed/pipeline.hpp"

#include <string>

#include "engine/base/message.hpp"
#include "engine/embed/optional_json.hpp"
#include "engine/formats/inside.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

std::string_view module_kind(JsonNode module) {
  const std::string_view type = module.at("type").as_string();
  return type.substr(type.rfind('.') + 1);  // npos + 1 is 0
}

// Normalize can be pointed at other values than the pooled vector.
void check_normalize(const fs::path& directory) {
  const auto config = read_optional_json(directory / "config.json");
  if (!config) return;
  for (const char* name : {"module_input_name", "module_output_name"}) {
    const std::string_view value = config->root().get_string(name, "sentence_embedding");
    if (value != "sentence_embedding")
      fail(ErrorCode::unsupported, config->name(), ": field \"", name, "\": \"", value,
           "\" is not supported; known: sentence_embedding");
  }
}

void refuse_default_prompt(const fs::path& directory) {
  const auto config = read_optional_json(directory / "config_sentence_transformers.json");
  if (!config) return;
  const std::string_view name = config->root().get_string("default_prompt_name", "");
  const auto prompts = config->root().find("prompts");
  if (name.empty() || !prompts || prompts->is_null()) return;
  if (!prompts->get_string(name, "").empty())
    fail(ErrorCode::unsupported, config->name(), ": field \"default_prompt_name\": the prompt \"",
         name, "\" before every text is not supported");
}

}  // namespace

Pipeline read_pipeline(const fs::path& directory) {
  Pipeline pipeline{.transformer = directory, .pooling = std::nullopt};
  refuse_default_prompt(directory);
  const auto modules = read_optional_json(directory / "modules.json");
  if (!modules) return pipeline;

  size_t place = 0;
  for (const JsonNode module : modules->root().elements()) {
    const std::string_view kind = module_kind(module);
    if (kind != "Transformer" && kind != "Pooling" && kind != "Normalize")
      fail(ErrorCode::unsupported, modules->name(), ": field \"", module.at("type").path(),
           "\": module \"", kind, "\" is not supported; known: Transformer, Pooling, Normalize");
    const std::string_view expected = place == 0   ? "Transformer"
                                      : place == 1 ? "Pooling"
                                                   : "Normalize";
    if (kind != expected || place > 2)
      module.refuse(cat("expected Transformer, Pooling and perhaps Normalize in this order, found ",
                        kind, " as module ", place));
    const fs::path path = path_inside(directory, module.at("path"));
    if (kind == "Transformer") {
      pipeline.transformer = path;
    } else if (kind == "Pooling") {
      pipeline.pooling = path / "config.json";
    } else {
      check_normalize(path);
      pipeline.normalize = true;
    }
    ++place;
  }
  if (!pipeline.pooling)
    modules->root().refuse(
        cat("expected Transformer, Pooling and perhaps Normalize, found ", place, " module(s)"));
  return pipeline;
}

}  // namespace headway
