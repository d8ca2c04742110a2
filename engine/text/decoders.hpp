// The decoders of tokenizer.json: the texts of tokens, put together to one text again.
//
// Behaviour of the Rust library `tokenizers` 0.23.3 (decoders/). Each has
//   void apply(std::vector<std::string>& tokens, WorkBudget& budget) const;
// which rewrites the list; tokens are valid UTF-8. What is left at the end is joined.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "engine/text/normalizers.hpp"

namespace headway {

// A space before every token but the first and those with the prefix, which loses it. `cleanup`
// takes spaces before punctuation away, and undoes BERT's cutting of contractions.
struct WordPieceDecoder {
  std::string prefix;
  bool cleanup;
  void apply(std::vector<std::string>& tokens, WorkBudget& budget) const;
};

// The suffix that ends a word becomes a space, the last token's nothing.
struct BpeDecoder {
  std::string suffix;
  void apply(std::vector<std::string>& tokens, WorkBudget& budget) const;
};

// Characters to the bytes that they stand for (byte_alphabet.hpp); a token with another character
// stays as it is. The bytes become one token, U+FFFD for what is not UTF-8.
struct ByteLevelDecoder {
  void apply(std::vector<std::string>& tokens, WorkBudget& budget) const;
};

// The replacement becomes a space; where one was put before the text, those of the first token
// vanish.
struct MetaspaceDecoder {
  std::string replacement;
  bool prepended;
  void apply(std::vector<std::string>& tokens, WorkBudget& budget) const;
};

// Tokens like "<0x0A>" in a row become one of those bytes, or one U+FFFD each.
struct ByteFallbackDecoder {
  void apply(std::vector<std::string>& tokens, WorkBudget& budget) const;
};

struct FuseDecoder {
  void apply(std::vector<std::string>& tokens, WorkBudget& budget) const;
};

// Takes up to so many of the character `content` from the ends of every token.
struct StripDecoder {
  std::string content;
  size_t start, stop;
  void apply(std::vector<std::string>& tokens, WorkBudget& budget) const;
};

struct ReplaceDecoder {
  Replace replace;
  void apply(std::vector<std::string>& tokens, WorkBudget& budget) const;
};

// Connectionist temporal classification: of equal tokens in a row one stays, and no padding.
struct CtcDecoder {
  std::string padding, word_delimiter;
  bool cleanup;  // as WordPieceDecoder; also: the delimiter becomes a space
  void apply(std::vector<std::string>& tokens, WorkBudget& budget) const;
};

using Decoder =
    std::variant<WordPieceDecoder, BpeDecoder, ByteLevelDecoder, MetaspaceDecoder,
                 ByteFallbackDecoder, FuseDecoder, StripDecoder, ReplaceDecoder, CtcDecoder>;

}  // namespace headway
