// What checkpoints of ColBERT say that are older than MultiVectorEncoder: PyLate's in
// config_sentence_transformers.json, and those of the paper's own code in artifact.metadata.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/embed/transformer_config.hpp"

namespace headway {

struct ColbertConfig {
  std::string file;  // which says it
  // Put before queries and documents. Where the vocabulary has one of them, or its first word, it
  // is that token there, whatever the tokenizer makes of such a text.
  std::string query_prefix, document_prefix;
  std::optional<LengthLimit> query_length, document_length;
  bool expands = true;   // queries, to their length
  bool attends = false;  // to the tokens that are added
  // Tokens of documents that have no vector: a mask and a Normalize follow the listed modules.
  std::vector<std::string> skiplist_words;
  // Where no modules are listed: "linear.weight" beside the model's tensors makes so many numbers.
  std::optional<int64_t> dim;
};

// Nothing for directories of another kind. Error(format) naming file and field.
std::optional<ColbertConfig> read_colbert_config(const std::filesystem::path& directory);

}  // namespace headway
