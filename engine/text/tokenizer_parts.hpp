// Everything that a model directory says about its tokenizer, checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/text/added_tokens.hpp"
#include "engine/text/decoders.hpp"
#include "engine/text/model.hpp"
#include "engine/text/normalizers.hpp"
#include "engine/text/post_processor.hpp"
#include "engine/text/pre_tokenizers.hpp"
#include "engine/text/vocabulary.hpp"
#include "headway/tokenizer.hpp"

namespace headway {

struct TokenizerParts {
  std::string file;    // where the vocabulary came from, for messages
  std::string source;  // as TokenizerFacts
  Vocabulary vocabulary;
  std::optional<int32_t> empty_token;  // takes an id and counts, but no text can reach it
  ModelOptions model;
  std::vector<Normalizer> normalizers;  // in order
  std::vector<PreTokenizer> pre_tokenizers;
  std::vector<AddedToken> added_tokens;                // no two with one content or one id
  std::unordered_map<std::string, std::string> roles;  // "mask_token" and the token
  PostProcessor post_processor;
  std::optional<std::vector<Decoder>> decoders;  // nothing: tokens are joined with spaces
  std::optional<int64_t> model_max_length;
  TruncationSide truncation_side = TruncationSide::right;
};

// Makes a token that is there a special one, as TokenizerOptions::special_tokens says.
void make_special(TokenizerParts& parts, const std::string& content);

// Error(unsupported) when the template for pairs does not hold each text once.
void check_pair_template(const TokenizerParts& parts);

// Reads the directory or file as Tokenizer::open describes. Errors as there.
TokenizerParts read_tokenizer(const std::filesystem::path& path);

}  // namespace headway
