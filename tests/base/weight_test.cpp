// Weights and parts of them.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "headway/weights.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

class Source : public WeightSource {
 public:
  void done_with(const void* data, size_t bytes) const override { done.emplace_back(data, bytes); }
  mutable std::vector<std::pair<const void*, size_t>> done;
};

class Weights : public testing::Test {
 protected:
  Weights() : values_(12) { std::iota(values_.begin(), values_.end(), 0.0f); }
  std::vector<float> values_;
};

TEST_F(Weights, AreThereOrAbsent) {
  EXPECT_FALSE(Weight());
  const Weight weight(TensorView(values_.data(), {4, 3}), "qkv.weight");
  EXPECT_TRUE(weight);
  EXPECT_EQ(weight.name(), "qkv.weight");
  EXPECT_EQ(weight.shape(), (Shape{4, 3}));
}

TEST_F(Weights, RowsAreAPartOfTheSameMemory) {
  const auto source = std::make_shared<Source>();
  const Weight weight(TensorView(values_.data(), {4, 3}), "qkv.weight", source);
  const Weight part = weight.rows(1, 3);
  EXPECT_EQ(part.shape(), (Shape{2, 3}));
  EXPECT_EQ(part.view().data, values_.data() + 3);
  EXPECT_EQ(part.name(), "qkv.weight");
  EXPECT_EQ(part.rows(1, 2).view().data, values_.data() + 6);
  EXPECT_EQ(weight.rows(4, 4).shape(), (Shape{0, 3}));
  part.done();
  ASSERT_EQ(source->done.size(), 1u);
  EXPECT_EQ(source->done[0], (std::pair<const void*, size_t>(values_.data() + 3, 24)));
  // The part keeps the source alive.
  EXPECT_EQ(source.use_count(), 3);
}

TEST_F(Weights, RowsOfAVector) {
  const Weight bias(TensorView(values_.data(), {12}));
  EXPECT_EQ(bias.rows(4, 8).view().data, values_.data() + 4);
  EXPECT_EQ(bias.rows(4, 8).shape(), Shape{4});
  bias.done();  // nobody to tell
}

TEST_F(Weights, RefuseRowsOutside) {
  const Weight weight(TensorView(values_.data(), {4, 3}));
  for (const auto& [begin, end] :
       {std::pair<int64_t, int64_t>{-1, 2}, {3, 2}, {0, 5}, {5, 5}, {4, int64_t{1} << 62}})
    expect_error(ErrorCode::invalid_argument,
                 "rows " + std::to_string(begin) + " to " + std::to_string(end) +
                     " of a weight of the shape [4, 3]",
                 [&, begin = begin, end = end] { weight.rows(begin, end); });
  expect_error(ErrorCode::invalid_argument, "of a weight of the shape []",
               [] { Weight().rows(0, 0); });
}

}  // namespace
}  // namespace headway
