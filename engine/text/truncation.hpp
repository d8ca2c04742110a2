// How much of texts stays below a limit, and the windows of what is longer.
#pragma once

#include <cstddef>
#include <vector>

#include "headway/tokenizer.hpp"

namespace headway {

// The ids that may come from texts. Error(invalid_argument) when max_length is smaller than the
// number of special tokens.
size_t room_for_texts(size_t special_tokens, const EncodeOptions& options);

// One id more than fits shows that a text is too long; what is behind it is not looked at.
inline size_t one_more(size_t most) {
  return most < EncodeOptions::kNoLimit ? most + 1 : most;
}

// For a single text that must be cut.
void refuse_only_second(const EncodeOptions& options);

struct PairLengths {
  size_t first, second;  // ids, special tokens not counted
};

// What is left of `lengths` when at most `room` ids may stay, as the reference has it (tokenizers
// 0.23.3, utils/truncation.rs). Error(invalid_argument) when the one text that may be cut is too
// short for that. A length beyond room + 1 counts only where it is compared with the other: see
// encode_pair_append.
PairLengths truncate_pair(PairLengths lengths, size_t room, TruncationStrategy strategy);

struct TokenRange {
  size_t begin, end;
};

// The `kept` of `length` ids that stay.
TokenRange first_window(size_t length, size_t kept, TruncationSide side);

// All ids in windows of `kept`, as the reference has it (tokenizer/encoding.rs): each shares
// `stride` ids with the one before, the last may be shorter. When nothing is kept, the second is
// the whole. Error(invalid_argument) when windows would not move on.
std::vector<TokenRange> cut_windows(size_t length, size_t kept, size_t stride, TruncationSide side);

}  // namespace headway
