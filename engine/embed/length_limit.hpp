// How many tokens of a text are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "headway/tokenizer.hpp"

namespace headway {

struct LengthLimit {
  int64_t tokens;    // special tokens included
  std::string from;  // "sentence_bert_config.json: max_seq_length", "options", ...
};

// As sentence-transformers decides it, from the transformer's directory: `max_seq_length` of
// sentence_bert_config.json; without it, the smaller of the position limit (`positions`) and the
// tokenizer's model_max_length. More than the position limit is never allowed: the reference fails
// on such texts. `asked` (0: nothing) may lower the limit; Error(limit) when it is above,
// Error(invalid_argument) when it has no room for the special tokens.
//
// Also refuses what else sentence_bert_config.json may ask for: Error(unsupported) naming it.
LengthLimit read_length_limit(const std::filesystem::path& transformer, int64_t positions,
                              const Tokenizer& tokenizer, int64_t asked);

}  // namespace headway
