// Reading tokenizer.json, the file of the Rust library `tokenizers`.
#pragma once

#include "engine/formats/json.hpp"
#include "engine/text/tokenizer_parts.hpp"

namespace headway {

// Fills everything but what tokenizer_config.json decides. Added tokens come as the file has them,
// not yet held against the vocabulary. Error(unsupported) for a component this build lacks, by
// name; Error(format) for what contradicts itself.
void read_tokenizer_json(const Json& json, TokenizerParts& parts);

// The flags and content of one added token as JSON; missing flags are false, but `normalized`,
// which is then the opposite of special, as in the library's constructor.
AddedToken read_added_token(const JsonNode& node, bool special);

}  // namespace headway
