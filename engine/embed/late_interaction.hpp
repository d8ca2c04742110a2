// What the files of a late-interaction model say beside its modules.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/embed/query_expansion.hpp"
#include "engine/embed/transformer_config.hpp"
#include "headway/tokenizer.hpp"

namespace headway {

struct LateInteraction {
  std::optional<LengthLimit> query_length, document_length;
  std::optional<QueryExpansion> expansion;
  bool mean = false;  // MaxSim is divided by the query's tokens: "meanmaxsim"
};

// Whether config_sentence_transformers.json says that `directory` is of MultiVectorEncoder.
bool is_late_interaction(const std::filesystem::path& directory);

// Reads config_sentence_transformers.json of `directory` and sentence_bert_config.json of its
// `transformer`, which takes `positions` tokens at most. Error(format) or Error(unsupported) naming
// file and field.
LateInteraction read_late_interaction(const std::filesystem::path& directory,
                                      const std::filesystem::path& transformer,
                                      const Tokenizer& tokenizer, int64_t positions);

}  // namespace headway
