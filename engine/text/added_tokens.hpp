// Tokens that are found in a text before the model sees it: [MASK] and its like.
//
// The rules are those of the reference (tokenizers 0.23.3, tokenizer/added_vocabulary.rs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/byte_trie.hpp"

namespace headway {

struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool single_word = false;  // only where no word character touches it
  bool lstrip = false;       // takes the whitespace before it along
  bool rstrip = false;       // and after it
  bool normalized = false;   // looked for, normalized, in the normalized text
  bool special = false;      // what encode_special_tokens ignores
};

// One set of patterns, each standing for one token. Filled first, then read from any thread.
class AddedTokenPatterns {
 public:
  // False, changing nothing, when the pattern (not empty) is there already.
  bool add(std::string_view pattern, const AddedToken& token);
  bool empty() const { return tokens_.empty(); }

 private:
  friend class AddedTokenScan;

  ByteTrie trie_;
  std::vector<AddedToken> tokens_;  // the trie's values are indices
  bool first_[256] = {};            // bytes that a pattern starts with
  int first_count_ = 0;
  unsigned char any_first_ = 0;  // the one such byte when there is only one
};

// Finds the tokens of one text from left to right; at each place the longest wins.
class AddedTokenScan {
 public:
  struct Match {
    size_t start;  // whitespace taken along included
    size_t stop;
    int32_t id;
  };

  AddedTokenScan(const AddedTokenPatterns& patterns, std::string_view text, bool ignore_special)
      : patterns_(patterns), text_(text), ignore_special_(ignore_special) {}

  // The next token whose pattern starts before `limit`; nothing when there is none, and the scan
  // goes on at `limit` then. `start` never lies before the `stop` of the match before, but for the
  // reference's own exception: a token of whitespace inside what rstrip took.
  std::optional<Match> next(size_t limit);

 private:
  size_t find_start(size_t from, size_t limit) const;
  size_t skip_spaces_back(size_t from, size_t floor) const;
  size_t skip_spaces(size_t from);

  const AddedTokenPatterns& patterns_;
  std::string_view text_;
  bool ignore_special_;
  size_t position_ = 0;      // where the next pattern may start
  size_t last_stop_ = 0;     // end of the match before
  size_t spaces_begin_ = 0;  // a run of whitespace that skip_spaces has walked already: tokens of
  size_t spaces_end_ = 0;    // whitespace with rstrip would walk it again for each of its bytes
};

}  // namespace headway
