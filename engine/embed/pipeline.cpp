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

}  // namespace

Pipeline read_pipeline(const fs::path& directory) {
  Pipeline pipeline{.transformer = directory, .modules = {}, .prompts = read_prompts(directory)};
  const auto file = read_optional_json(directory / "modules.json");
  if (!file) return pipeline;
  pipeline.listed = true;
  for (const JsonNode entry : file->root().elements()) {
    Module module{std::string(module_kind(entry)), path_inside(directory, entry.at("path")),
                  std::string(entry.at("path").as_string())};
    pipeline.modules.push_back(std::move(module));
  }
  std::vector<Module>& modules = pipeline.modules;
  if (modules.empty() ||
      (modules.front().kind != "Transformer" && modules.front().kind != "MLMTransformer"))
    file->root().refuse(cat("expected a Transformer as the first module, found ",
                            modules.empty() ? "none" : modules.front().kind));
  pipeline.transformer = modules.front().directory;
  modules.erase(modules.begin());
  return pipeline;
}

std::string config_of(const Module& module) {
  return (fs::path(module.name) / "config.json").string();
}

void refuse_module(const Module& module, const std::string& known) {
  fail(ErrorCode::unsupported, "modules.json: module \"", module.kind, "\" (\"", module.name,
       "\") is not supported here; known: ", known);
}

}  // namespace headway
