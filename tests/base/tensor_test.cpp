// Shapes, element types and the sizes that follow from them.
#include "headway/tensor.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(DTypes, HaveSizesAndNames) {
  struct Expected {
    DType type;
    size_t bytes;
    const char* name;
  };
  for (const auto& [type, bytes, name] : {Expected{DType::f64, 8, "f64"},
                                          {DType::f32, 4, "f32"},
                                          {DType::f16, 2, "f16"},
                                          {DType::bf16, 2, "bf16"},
                                          {DType::i64, 8, "i64"},
                                          {DType::i32, 4, "i32"},
                                          {DType::i16, 2, "i16"},
                                          {DType::i8, 1, "i8"},
                                          {DType::u8, 1, "u8"},
                                          {DType::boolean, 1, "bool"}}) {
    EXPECT_EQ(size_of(type), bytes) << name;
    EXPECT_STREQ(to_string(type), name);
  }
}

TEST(Shapes, HoldExtentsInOrder) {
  const Shape shape{2, 10, 64};
  EXPECT_EQ(shape.rank(), 3u);
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape[2], 64);
  EXPECT_EQ(std::vector<int64_t>(shape.begin(), shape.end()), (std::vector<int64_t>{2, 10, 64}));
  EXPECT_EQ(shape.to_string(), "[2, 10, 64]");
  EXPECT_EQ(Shape{}.to_string(), "[]");
  EXPECT_EQ(Shape{}.rank(), 0u);
}

TEST(Shapes, AreEqualByExtentsAndRank) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{2}), (Shape{2, 0}));
  EXPECT_NE(Shape{}, Shape{0});
}

TEST(Shapes, CountElements) {
  EXPECT_EQ((Shape{2, 10, 64}).elements(), 1280);
  EXPECT_EQ(Shape{}.elements(), 1);
  EXPECT_EQ((Shape{5, 0}).elements(), 0);
  EXPECT_EQ((Shape{kMax, 1}).elements(), kMax);
  // A zero makes it zero, wherever it stands.
  EXPECT_EQ((Shape{kMax, kMax, 0}).elements(), 0);
  expect_error(ErrorCode::limit, "overflows", [] { Shape{kMax, 2}.elements(); });
  expect_error(ErrorCode::limit, "overflows", [] {
    Shape{int64_t{1} << 32, int64_t{1} << 32}.elements();
  });
}

TEST(Shapes, RefuseNegativeExtentsAndTooManyOfThem) {
  expect_error(ErrorCode::invalid_argument, "the negative extent -3", [] { Shape{2, -3}; });
  const std::vector<int64_t> most(Shape::kMaxRank, 1);
  EXPECT_EQ(Shape(most).rank(), 8u);
  const std::vector<int64_t> more(Shape::kMaxRank + 1, 1);
  expect_error(ErrorCode::invalid_argument, "a shape of rank 9, at most 8 is supported",
               [&] { Shape shape(more); });
}

TEST(TensorViews, KnowTypeShapeAndBytes) {
  const float floats[6] = {};
  const TensorView view(floats, {2, 3});
  EXPECT_EQ(view.dtype, DType::f32);
  EXPECT_EQ(view.bytes(), 24u);
  const int32_t ids[2] = {};
  EXPECT_EQ(TensorView(ids, {2}).dtype, DType::i32);
  EXPECT_EQ(TensorView(ids, DType::bf16, {4}).bytes(), 8u);
  EXPECT_EQ(TensorView(ids, DType::f64, {0, 7}).bytes(), 0u);
  // 2^62 elements of 8 bytes wrap to 0 in 64 bits.
  expect_error(ErrorCode::limit, "bytes of a tensor",
               [&] { TensorView(ids, DType::f64, {int64_t{1} << 62}).bytes(); });
}

}  // namespace
}  // namespace headway
