// Reading modules.json and what the modules' directories say.
#include "engine/embed/pipeline.hpp"

#include <algorithm>
#include <string>

#include "engine/base/message.hpp"
#include "engine/embed/optional_json.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

// The module's directory. It must lie inside the model's, links followed: a model directory from
// elsewhere must not make us read other files.
fs::path module_directory(const fs::path& directory, JsonNode module) {
  const JsonNode field = module.at("path");
  const std::string_view text = field.as_string();
  const fs::path path(text);
  const bool climbs = std::find(path.begin(), path.end(), fs::path("..")) != path.end();
  if (path.is_absolute() || climbs || text.find('\0') != std::string_view::npos)
    field.refuse(cat("expected a path inside the model directory, found \"", text, "\""));

  std::error_code error;
  const fs::path root = fs::canonical(directory, error);
  if (error) fail(ErrorCode::io, directory.string(), ": ", error.message());
  const fs::path target = fs::weakly_canonical(root / path, error);
  if (error) fail(ErrorCode::io, (directory / path).string(), ": ", error.message());
  if (std::mismatch(root.begin(), root.end(), target.begin(), target.end()).first != root.end())
    field.refuse(cat("expected a path inside the model directory, but \"", text,
                     "\" is a link to elsewhere"));
  return text.empty() ? directory : directory / path;
}

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
    const fs::path path = module_directory(directory, module);
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
