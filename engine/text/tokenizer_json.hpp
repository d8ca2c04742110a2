// Reading tokenizer.json, the file of the Rust library `tokenizers`.
#pragma once

#include <optional>

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

// Error(format) for no token, Error(limit) for one of more than kMaxTokenBytes.
void check_token(const JsonNode& node, std::string_view token);

// The parts of the file; each takes the component's object.
void read_model(const Json& json, const JsonNode& node, TokenizerParts& parts);
void read_normalizer(const Json& json, const JsonNode& node, std::vector<Normalizer>& normalizers);
void read_pre_tokenizer(const Json& json, const JsonNode& node,
                        std::vector<PreTokenizer>& pre_tokenizers);
// After model and added tokens.
void read_post_processor(const Json& json, const JsonNode& node, TokenizerParts& parts);
void read_decoder(const Json& json, const JsonNode& node, std::vector<Decoder>& decoders);

// One of these two words.
TruncationSide read_truncation_side(const JsonNode& node, std::string_view left,
                                    std::string_view right);

// Error(unsupported): the component or setting `what` at `node`, and what there is instead.
[[noreturn]] void refuse_component(const Json& json, const JsonNode& node, std::string_view what,
                                   const char* supported);

// The pattern of Split and Replace: {"String": text} or {"Regex": source}.
Pattern read_pattern(const Json& json, const JsonNode& node);

// What is a component in more than one place. `first`: no other pre-tokenizer stands before it.
Metaspace read_metaspace(const Json& json, const JsonNode& node, bool first);
Replace read_replace(const Json& json, const JsonNode& node);

// A text of one character.
std::string read_character(const JsonNode& node);

}  // namespace headway
