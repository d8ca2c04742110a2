// Prompts: texts that some models want before what they embed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "headway/embedder.hpp"

namespace headway {

// The file of a directory that has them, and what else is said of a pipeline as a whole.
inline constexpr const char* kPipelineConfig = "config_sentence_transformers.json";

struct Prompts {
  std::map<std::string, std::string> by_name;  // with "query" and "document", perhaps empty
  std::string default_name = {};               // or empty
  bool given = false;                          // whether a file says so
  std::optional<int64_t> dimensions = {};      // `truncate_dim` stands in the same file
};

// Reads config_sentence_transformers.json of `directory`, where there is one. Error(format) naming
// file and field, also for a default prompt that is not there.
Prompts read_prompts(const std::filesystem::path& directory);

// The text that `options` ask for. Error(invalid_argument) for a name that is not there, or for a
// name and a text at once.
std::string choose_prompt(const Prompts& prompts, const EmbedOptions& options);

}  // namespace headway
