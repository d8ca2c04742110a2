// What a sentence-transformers directory puts on top of the transformer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/embed/prompts.hpp"

namespace headway {

struct Module {
  std::string kind;                 // the last part of its type: "Pooling"
  std::filesystem::path directory;  // of its files
  std::string name;                 // the directory in the model's, for people: "1_Pooling"
};

struct Pipeline {
  std::filesystem::path transformer;  // directory of the transformer's files
  std::vector<Module> modules;        // after the transformer, in order
  bool listed = false;                // whether there is a modules.json
  Prompts prompts;
};

// Reads modules.json and config_sentence_transformers.json. Modules are told by the last part of
// the type name, because the Python modules before it change between versions of
// sentence-transformers; the first must be a Transformer. Without modules.json the directory is a
// plain transformers model.
Pipeline read_pipeline(const std::filesystem::path& directory);

// The module's config.json as people find it: "1_Pooling/config.json".
std::string config_of(const Module& module);

// Error(unsupported) naming modules.json and `module`, and those that are `known`.
[[noreturn]] void refuse_module(const Module& module, const std::string& known);

}  // namespace headway
