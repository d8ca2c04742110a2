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

#include "engine/text/aligned_text.hpp"
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
      : vocabulary_(&vocabulary),
        trie_(&vocabulary.trie()),
        prefix_size_(options.prefix.size()),
        continuation_(trie_->find(options.prefix)),
        max_word_chars_(options.max_word_chars),
        unknown_(options.unknown) {}

  // Appends the ids of `word`, not empty, valid UTF-8, max_word_chars() long at most. Costs the
  // word's bytes times the length of the longest token at most.
  void encode(std::string_view word, std::vector<int32_t>& ids) const;
  // The same for a word of any length.
  void encode_any(std::string_view word, std::vector<int32_t>& ids) const;
  // The same, and for each id the bytes of the word that it stands for.
  void encode_spans(std::string_view word, std::vector<int32_t>& ids,
                    std::vector<ByteSpan>& spans) const;

  size_t max_word_chars() const { return max_word_chars_; }
  int32_t unknown() const { return unknown_; }

 private:
  const Vocabulary* vocabulary_;
  const ByteTrie* trie_;
  size_t prefix_size_;
  uint32_t continuation_;  // the trie's node behind the prefix; kNone when no token has it
  size_t max_word_chars_;
  int32_t unknown_;
};

}  // namespace headway
