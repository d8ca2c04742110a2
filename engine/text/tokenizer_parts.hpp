// Everything that a model directory says about its tokenizer, checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/text/added_tokens.hpp"
#include "engine/text/bert_normalizer.hpp"
#include "engine/text/vocabulary.hpp"

namespace headway {

struct TokenizerParts {
  std::string file;  // where the vocabulary came from, for messages
  Vocabulary vocabulary;
  bool has_empty_token = false;  // takes an id and counts, but no text can reach it
  std::string unknown_token;
  std::string prefix = "##";
  size_t max_word_chars = 100;
  BertNormalizerOptions normalizer;
  std::vector<AddedToken> added_tokens;  // no two with one content or one id
  std::vector<int32_t> before, after;    // special tokens around a text
  std::optional<int64_t> model_max_length;
};

// Reads the directory as Tokenizer::open describes. Errors as there.
TokenizerParts read_tokenizer(const std::filesystem::path& directory);

}  // namespace headway
