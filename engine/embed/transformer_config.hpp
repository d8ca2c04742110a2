// What sentence_bert_config.json says of the transformer, and how many tokens of a text are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/formats/json.hpp"
#include "headway/tokenizer.hpp"

namespace headway {

struct TransformerConfig {
  std::optional<int64_t> max_seq_length;
  std::string max_length_from = "sentence_bert_config.json: max_seq_length";
  bool lower_case = false;  // `do_lower_case`: texts are lowercased before all else
};

// What a pipeline takes from the transformer.
enum class TransformerTask {
  hidden_states,
  sequence_classification,
  token_classification,
  masked_lm
};

// Reads sentence_bert_config.json of the transformer's directory, where there is one.
// Error(unsupported) naming what it asks for that is not `task`, or of which there is only one kind
// here.
TransformerConfig read_transformer_config(const std::filesystem::path& transformer,
                                          TransformerTask task);

struct LengthLimit {
  int64_t tokens;    // special tokens included
  std::string from;  // "sentence_bert_config.json: max_seq_length", "options", ...
};

// The limit that a field of `file` gives, if it does: `root` is what the file has.
std::optional<LengthLimit> read_length(JsonNode root, const char* file, const char* field);

// As sentence-transformers decides it: `max_seq_length`; without it, the smaller of the position
// limit (`positions`) and the tokenizer's model_max_length. More than the position limit is never
// allowed: the reference fails on such texts. `asked` (0: nothing) may lower the limit;
// Error(limit) when it is above, Error(invalid_argument) when it has no room for the special
// tokens. `transformer` is for messages.
LengthLimit choose_length_limit(const std::filesystem::path& transformer,
                                const TransformerConfig& config, int64_t positions,
                                const Tokenizer& tokenizer, int64_t asked);

}  // namespace headway
