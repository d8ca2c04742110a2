// Which rows belong to which sequence.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "headway/export.h"

namespace headway {

// A batch is its tokens packed in rows, sequence after sequence, without padding: sequence i owns
// the rows [offsets()[i], offsets()[i + 1]). A dense [B, T, D] tensor is the case of equal lengths
// and needs no copy. A length of 0 is allowed. Immutable; safe to share between threads.
//
// A sequence may have a key length, as attention() knows it: its tokens from there on are hidden
// from attention as keys, of all queries, but attend and are computed like the others.
class HEADWAY_API Batch {
 public:
  Batch() : offsets_{0} {}  // no sequences

  // `sequences` of `tokens` rows each. Error(invalid_argument) when negative, Error(limit) on
  // overflow.
  static Batch dense(int64_t sequences, int64_t tokens);
  // One sequence per length. Errors as above.
  static Batch ragged(std::span<const int64_t> lengths);
  // The same with a key length for each, of 0 to the length. Error(invalid_argument) otherwise.
  static Batch ragged(std::span<const int64_t> lengths, std::span<const int64_t> key_lengths);

  int64_t sequences() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  // All tokens of the batch together.
  int64_t rows() const { return offsets_.back(); }
  int64_t length(int64_t sequence) const { return offsets_[sequence + 1] - offsets_[sequence]; }
  int64_t key_length(int64_t sequence) const {
    return key_lengths_.empty() ? length(sequence) : key_lengths_[sequence];
  }
  int64_t longest() const;
  std::span<const int64_t> offsets() const { return offsets_; }

  friend bool operator==(const Batch&, const Batch&) = default;

 private:
  std::vector<int64_t> offsets_;
  std::vector<int64_t> key_lengths_;  // empty where each is the length
};

}  // namespace headway
