// How much of the two texts of a pair stays below a limit.
#pragma once

#include <cstddef>

#include "headway/tokenizer.hpp"

namespace headway {

struct PairLengths {
  size_t first, second;  // ids, special tokens not counted
};

// What is left of `lengths` when at most `room` ids may stay, as the reference has it (tokenizers
// 0.23.3, utils/truncation.rs). Error(invalid_argument) when the one text that may be cut is too
// short for that. A length beyond room + 1 counts only where it is compared with the other: see
// encode_pair_append.
PairLengths truncate_pair(PairLengths lengths, size_t room, TruncationStrategy strategy);

}  // namespace headway
