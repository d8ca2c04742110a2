// Which rows belong to which sequence.
#include "headway/batch.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::vector<int64_t> offsets(const Batch& batch) {
  return {batch.offsets().begin(), batch.offsets().end()};
}

Batch ragged(const std::vector<int64_t>& lengths) {
  return Batch::ragged(lengths);
}

TEST(Batches, RaggedSequencesFollowEachOther) {
  const Batch batch = ragged({3, 0, 5, 1});
  EXPECT_EQ(offsets(batch), (std::vector<int64_t>{0, 3, 3, 8, 9}));
  EXPECT_EQ(batch.sequences(), 4);
  EXPECT_EQ(batch.rows(), 9);
  EXPECT_EQ(batch.longest(), 5);
  EXPECT_EQ(batch.length(0), 3);
  EXPECT_EQ(batch.length(1), 0);
  EXPECT_EQ(batch.length(3), 1);
}

TEST(Batches, MayHideTokensFromAttention) {
  const std::vector<int64_t> lengths = {3, 0, 5}, key_lengths = {2, 0, 5};
  const Batch batch = Batch::ragged(lengths, key_lengths);
  EXPECT_EQ(offsets(batch), (std::vector<int64_t>{0, 3, 3, 8}));
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(batch.key_length(i), key_lengths[static_cast<size_t>(i)]);
    EXPECT_EQ(ragged(lengths).key_length(i), lengths[static_cast<size_t>(i)]);
  }
  EXPECT_NE(batch, ragged(lengths));
  EXPECT_EQ(Batch::ragged(lengths, lengths), ragged(lengths));
}

TEST(Batches, DenseIsTheCaseOfEqualLengths) {
  EXPECT_EQ(Batch::dense(3, 10), ragged({10, 10, 10}));
  EXPECT_EQ(Batch::dense(2, 0), ragged({0, 0}));
  EXPECT_NE(Batch::dense(2, 10), ragged({10, 9}));
}

TEST(Batches, WithoutSequences) {
  for (const Batch& batch : {Batch(), Batch::dense(0, 7), ragged({})}) {
    EXPECT_EQ(batch.sequences(), 0);
    EXPECT_EQ(batch.rows(), 0);
    EXPECT_EQ(batch.longest(), 0);
    EXPECT_EQ(offsets(batch), std::vector<int64_t>{0});
  }
}

TEST(Batches, RefuseNegativeAndHugeSizes) {
  expect_error(ErrorCode::invalid_argument, "a batch of -1 sequences of 4 tokens",
               [] { Batch::dense(-1, 4); });
  expect_error(ErrorCode::invalid_argument, "a batch of 4 sequences of -1 tokens",
               [] { Batch::dense(4, -1); });
  expect_error(ErrorCode::invalid_argument, "a batch whose sequence 2 has the length -7", [] {
    ragged({1, 2, -7});
  });
  const std::vector<int64_t> lengths = {1, 2}, long_keys = {1, 3}, negative = {-1, 0}, one = {1};
  expect_error(ErrorCode::invalid_argument,
               "a batch whose sequence 1 has the key length 3, expected 0 to its length, 2",
               [&] { Batch::ragged(lengths, long_keys); });
  expect_error(ErrorCode::invalid_argument, "sequence 0 has the key length -1",
               [&] { Batch::ragged(lengths, negative); });
  expect_error(ErrorCode::invalid_argument, "a batch of 2 sequences with 1 key lengths",
               [&] { Batch::ragged(lengths, one); });
  expect_error(ErrorCode::limit, "rows of a batch", [] { Batch::dense(int64_t{1} << 32, kMax); });
  expect_error(ErrorCode::limit, "rows of a batch", [] { ragged({kMax, 1}); });
}

}  // namespace
}  // namespace headway
