// Reading config_sentence_transformers.json.
#include "engine/embed/prompts.hpp"

#include "engine/base/message.hpp"
#include "engine/embed/optional_json.hpp"

namespace headway {

Prompts read_prompts(const std::filesystem::path& directory) {
  Prompts prompts{.by_name = {{"query", ""}, {"document", ""}}};
  const auto config = read_optional_json(directory / kPipelineConfig);
  if (!config) return prompts;
  const JsonNode root = config->root();
  prompts.given = root.contains("prompts");
  if (const auto listed = root.find("prompts"); listed && !listed->is_null())
    for (const JsonNode prompt : listed->members())
      prompts.by_name[std::string(prompt.key())] = prompt.is_null() ? "" : prompt.as_string();
  prompts.default_name = root.get_string("default_prompt_name", "");
  if (!prompts.default_name.empty() && !prompts.by_name.contains(prompts.default_name))
    root.at("default_prompt_name")
        .refuse(cat("no prompt has the name \"", prompts.default_name, "\""));
  if (const auto dimensions = root.find("truncate_dim"); dimensions && !dimensions->is_null())
    prompts.dimensions = dimensions->as_int64(1, int64_t{1} << 31);
  return prompts;
}

std::string choose_prompt(const Prompts& prompts, const EmbedOptions& options) {
  if (options.prompt && options.prompt_name)
    fail(ErrorCode::invalid_argument, "prompt and prompt_name do not go together");
  if (options.prompt) return std::string(*options.prompt);
  const std::string name(options.prompt_name.value_or(prompts.default_name));
  if (name.empty() && !options.prompt_name) return "";
  const auto found = prompts.by_name.find(name);
  if (found != prompts.by_name.end()) return found->second;
  std::string known;
  for (const auto& [each, text] : prompts.by_name) known += cat(known.empty() ? "" : ", ", each);
  fail(ErrorCode::invalid_argument, "prompt_name: expected one of ", known, ", found \"", name,
       "\"");
}

}  // namespace headway
