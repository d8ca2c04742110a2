// The WordPiece model: a word into the longest pieces the vocabulary has, from the left.
//
// Source: Schuster and Nakajima, "Japanese and Korean Voice Search", 2012; behaviour of tokenizers
// 0.23.3, models/wordpiece/mod.rs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/vocabulary.hpp"

namespace headway {

struct WordPieceOptions {
  int32_t unknown = 0;
  std::string prefix = "##";    // before every piece but a word's first
  size_t max_word_chars = 100;  // a longer word is unknown
};

// Immutable; refers to the vocabulary it was made from.
class WordPiece {
 public:
  // A word that cannot be cut up entirely is unknown as a whole.
  WordPiece(const Vocabulary& vocabulary, const WordPieceOptions& options)
      : trie_(&vocabulary.trie()),
        continuation_(trie_->find(options.prefix)),
        max_word_chars_(options.max_word_chars),
        unknown_(options.unknown) {}

  // Appends the ids of `word`, not empty, valid UTF-8, max_word_chars() long at most. Costs the
  // word's bytes times the length of the longest token at most.
  void encode(std::string_view word, std::vector<int32_t>& ids) const;
  // The same for a word of any length.
  void encode_any(std::string_view word, std::vector<int32_t>& ids) const;

  size_t max_word_chars() const { return max_word_chars_; }
  int32_t unknown() const { return unknown_; }

 private:
  const ByteTrie* trie_;
  uint32_t continuation_;  // the trie's node behind the prefix; kNone when no token has it
  size_t max_word_chars_;
  int32_t unknown_;
};

}  // namespace headway
