// The WordPiece model: a word into the longest pieces the vocabulary has, from the left.
//
// Source: Schuster and Nakajima, "Japanese and Korean Voice Search", 2012; behaviour of tokenizers
// 0.23.3, models/wordpiece/mod.rs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/text/vocabulary.hpp"

namespace headway {

// Immutable; refers to the vocabulary it was made from.
class WordPiece {
 public:
  // `prefix` stands before every piece but a word's first ("##"). A word of more than
  // `max_word_chars` characters is one `unknown`, and so is a word that cannot be cut up entirely.
  WordPiece(const Vocabulary& vocabulary, std::string_view prefix, size_t max_word_chars,
            int32_t unknown)
      : trie_(&vocabulary.trie()),
        continuation_(trie_->find(prefix)),
        max_word_chars_(max_word_chars),
        unknown_(unknown) {}

  // Appends the ids of `word`, not empty, valid UTF-8. Costs the word's bytes times the length of
  // the longest token at most.
  void encode(std::string_view word, std::vector<int32_t>& ids) const;

  size_t max_word_chars() const { return max_word_chars_; }
  int32_t unknown() const { return unknown_; }

 private:
  const ByteTrie* trie_;
  uint32_t continuation_;  // the trie's node behind the prefix; kNone when no token has it
  size_t max_word_chars_;
  int32_t unknown_;
};

}  // namespace headway
