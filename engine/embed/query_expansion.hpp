// Queries filled up with mask tokens, which become weighted copies of what is asked (Khattab and
// Zaharia, "ColBERT", 2020, section 3.2).
#pragma once

#include <cstdint>
#include <optional>

#include "engine/formats/json.hpp"
#include "headway/tokenizer.hpp"

namespace headway {

struct QueryExpansion {
  int64_t length;  // tokens of a query at least, special ones included
  bool fixed;      // and at most: longer ones are cut
  bool attend;     // whether other tokens attend to those added
  int32_t token;   // which is added
};

// The token that fills queries up where none is named: the mask token, or that at the end of a
// text. Error(format) where there is neither.
int32_t expansion_token(const Tokenizer& tokenizer);

// Reads `query_expansion` of sentence_bert_config.json, `config`, where there is one. `positions`
// is the longest sequence. Error(format) naming the field for what is missing, does not fit, or
// that the tokenizer has no such token; Error(unsupported) for an unknown strategy.
std::optional<QueryExpansion> read_query_expansion(JsonNode config, const Tokenizer& tokenizer,
                                                   int64_t positions);

}  // namespace headway
