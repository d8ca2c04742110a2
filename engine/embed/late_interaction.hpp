// What the files of a late-interaction model say beside its modules.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/embed/colbert_config.hpp"
#include "engine/embed/query_expansion.hpp"
#include "engine/embed/text_model.hpp"
#include "engine/embed/transformer_config.hpp"

namespace headway {

struct LateInteraction {
  std::optional<LengthLimit> query_length, document_length;
  std::optional<QueryExpansion> expansion;
  bool mean = false;  // MaxSim is divided by the query's tokens: "meanmaxsim"
};

// Whether the files say that `directory` is of MultiVectorEncoder, or older.
bool is_late_interaction(const std::filesystem::path& directory);

// Reads config_sentence_transformers.json of `directory` and sentence_bert_config.json of its
// transformer; what these leave open, `older` says. Error(format) or Error(unsupported) naming file
// and field.
LateInteraction read_late_interaction(const std::filesystem::path& directory,
                                      const OpenedModel& opened,
                                      const std::optional<ColbertConfig>& older);

}  // namespace headway
