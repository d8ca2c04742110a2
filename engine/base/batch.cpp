// Builds the offsets and key lengths of a batch.
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

Batch Batch::ragged(std::span<const int64_t> lengths, std::span<const int64_t> key_lengths) {
  if (key_lengths.size() != lengths.size())
    fail(ErrorCode::invalid_argument, "a batch of ", lengths.size(), " sequences with ",
         key_lengths.size(), " key lengths");
  Batch batch = ragged(lengths);
  for (size_t i = 0; i < lengths.size(); ++i)
    if (key_lengths[i] < 0 || key_lengths[i] > lengths[i])
      fail(ErrorCode::invalid_argument, "a batch whose sequence ", i, " has the key length ",
           key_lengths[i], ", expected 0 to its length, ", lengths[i]);
  if (!std::equal(lengths.begin(), lengths.end(), key_lengths.begin()))
    batch.key_lengths_.assign(key_lengths.begin(), key_lengths.end());
  return batch;
}

int64_t Batch::longest() const {
  int64_t longest = 0;
  for (int64_t i = 0; i < sequences(); ++i) longest = std::max(longest, length(i));
  return longest;
}

}  // namespace headway
