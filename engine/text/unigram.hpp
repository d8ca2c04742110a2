// The unigram model: the pieces of a word whose scores have the highest sum.
//
// Source: Kudo, "Subword Regularization", 2018; behaviour of tokenizers 0.23.3, models/unigram/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/text/aligned_text.hpp"
#include "engine/text/byte_fallback.hpp"
#include "engine/text/vocabulary.hpp"

namespace headway {

struct UnigramOptions {
  std::vector<double> scores;      // by id
  std::optional<int32_t> unknown;  // for what no piece covers
  bool byte_fallback = false;      // that becomes bytes, "<0x0A>", where all have a token
};

// Refers to the vocabulary it was made from. Any thread may use it, with a memory of its own.
class Unigram {
 public:
  class Memory {
    friend class Unigram;
    struct Node {  // the best way to a place in the word
      double score;
      uint32_t length;  // of its last piece; 0: no way yet
      int32_t id;
    };
    std::vector<Node> nodes;
    std::vector<int32_t> ids;
    std::vector<ByteSpan> spans;
  };

  Unigram(const Vocabulary& vocabulary, const UnigramOptions& options);

  // Appends the ids of `word`, not empty, valid UTF-8. Time: its bytes times the longest token's.
  // Error(invalid_argument) for a character without a piece when there is no unknown token;
  // Error(limit) beyond 4 GB.
  void encode(std::string_view word, Memory& memory, std::vector<int32_t>& ids) const;
  // The same, and for each id the bytes of the word that it stands for: for the id of a byte those
  // of all the unknown characters around it.
  void encode_spans(std::string_view word, Memory& memory, std::vector<int32_t>& ids,
                    std::vector<ByteSpan>& spans) const;
  std::optional<int32_t> unknown() const { return unknown_; }

 private:
  template <typename Append>
  void walk(std::string_view word, Memory& memory, Append&& append) const;
  void find_best(std::string_view word, std::vector<Memory::Node>& nodes) const;
  void append_reversed(std::string_view piece, std::vector<int32_t>& ids) const;

  const Vocabulary* vocabulary_;
  std::vector<double> scores_;
  std::optional<int32_t> unknown_;
  double unknown_score_;
  bool byte_fallback_;
  ByteTokens bytes_;
};

}  // namespace headway
