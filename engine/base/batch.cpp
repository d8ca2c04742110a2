// Builds the offsets of a batch.
#include "headway/batch.hpp"

#include <algorithm>

#include "engine/base/checked.hpp"

namespace headway {

Batch Batch::dense(int64_t sequences, int64_t tokens) {
  if (sequences < 0 || tokens < 0) {
    fail(ErrorCode::invalid_argument, "a batch of ", sequences, " sequences of ", tokens,
         " tokens: negative");
  }
  checked_mul(sequences, tokens, "rows of a batch");
  Batch batch;
  batch.offsets_.resize(checked_cast<size_t>(checked_add(sequences, 1, "sequences"), "sequences"));
  for (int64_t i = 0; i <= sequences; ++i) batch.offsets_[i] = i * tokens;
  return batch;
}

Batch Batch::ragged(std::span<const int64_t> lengths) {
  Batch batch;
  batch.offsets_.reserve(lengths.size() + 1);
  for (int64_t length : lengths) {
    if (length < 0) {
      fail(ErrorCode::invalid_argument, "a batch whose sequence ", batch.sequences(),
           " has the length ", length);
    }
    batch.offsets_.push_back(checked_add(batch.rows(), length, "rows of a batch"));
  }
  return batch;
}

int64_t Batch::longest() const {
  int64_t longest = 0;
  for (int64_t i = 0; i < sequences(); ++i) longest = std::max(longest, length(i));
  return longest;
}

}  // namespace headway
