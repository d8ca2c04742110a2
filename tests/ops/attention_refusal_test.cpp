// A call of headway::attention that cannot be right is refused with the argument, what was expected
// and what came, before anything has been written.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/ops/attention_problem.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

// A good call of 2 sequences, 4 heads on 2, 3 queries, 5 keys, sizes 8 and 6, which tests spoil.
class AttentionRefusal : public testing::Test {
 protected:
  void SetUp() override {
    options.scores = scores_.target();
    options.present_key = present_key_.target();
    options.present_value = present_value_.target();
  }
  void TearDown() override {
    EXPECT_TRUE(out_.untouched() && scores_.untouched() && present_key_.untouched() &&
                present_value_.untouched());
    // What was spoiled is what was wrong.
    attention(problem_.q.view(), problem_.k.view(), problem_.v.view(), out_.target());
    EXPECT_FALSE(out_.untouched());
  }

  void refused(const std::string& message, ErrorCode code = ErrorCode::invalid_argument) {
    expect_error(code, message, [&] { attention(q, k, v, out, options); });
    q = problem_.q.view(), k = problem_.k.view(), v = problem_.v.view(), out = out_.target();
    options = {};
    SetUp();
  }
  // With a past of 4 keys.
  void add_past() {
    options.present_key = options.present_value = options.scores = {};
    options.past_key = past_key_.view(), options.past_value = past_value_.view();
  }

 private:
  Random random_{1};
  AttentionProblem problem_{
      random_, {.batch = 2, .heads = 4, .kv_heads = 2, .queries = 3, .keys = 5, .value_size = 6}};
  StridedFloats out_{{2, 4, 3, 6}}, scores_{{2, 4, 3, 5}}, present_key_{{2, 2, 5, 8}},
      present_value_{{2, 2, 5, 6}}, past_key_{random_, {2, 2, 4, 8}},
      past_value_{random_, {2, 2, 4, 6}};

 protected:
  StridedView q = problem_.q.view(), k = problem_.k.view(), v = problem_.v.view();
  MutableStridedView out = out_.target();
  AttentionOptions options;
  const std::vector<uint8_t> bytes_ = std::vector<uint8_t>(1000, 1);
  const std::vector<float> floats_ = std::vector<float>(1000);
};

TEST_F(AttentionRefusal, of_types) {
  q.dtype = DType::bf16;
  refused("q is bf16, expected f32");
  k.dtype = DType::f64;
  refused("k is f64, expected f32");
  v.dtype = DType::f16;
  refused("v is f16, expected f32");
  out.dtype = DType::i32;
  refused("out is i32, expected f32");
  options.scores.dtype = DType::f64;
  refused("scores is f64, expected f32");
  options.present_key.dtype = DType::bf16;
  refused("present_key is bf16, expected f32");
  options.mask = StridedView::dense(bytes_.data(), {1, 1, 3, 5}, DType::u8);
  refused("mask is u8, expected bool");
  options.bias = StridedView::dense(bytes_.data(), {1, 1, 3, 5}, DType::boolean);
  refused("bias is bool, expected f32");
  options.relative_bias = TensorView(floats_.data(), DType::i32, {4, 5});
  refused("relative_bias is i32, expected f32");
}

TEST_F(AttentionRefusal, of_shapes_that_do_not_fit) {
  q.extents[1] = 0;
  refused("q has the shape [2, 0, 3, 8], expected at least one head of at least size 1");
  q.extents[3] = k.extents[3] = 0;
  refused("q has the shape [2, 4, 3, 0], expected at least one head of at least size 1");
  q.extents[2] = -3;
  refused("q has the shape [2, 4, -3, 8], expected no negative extent");
  k.extents[0] = 1;
  refused("k has the shape [1, 2, 5, 8], expected [2, 2, 5, 8]");
  k.extents[3] = 7;
  refused("k has the shape [2, 2, 5, 7], expected [2, 2, 5, 8]");
  q.extents[1] = 3;
  refused("k has 2 heads, expected a divisor of q's 3");
  k.extents[1] = v.extents[1] = 0;
  refused("k has 0 heads, expected a divisor of q's 4");
  v.extents[1] = 1;
  refused("v has the shape [2, 1, 5, 6], expected [2, 2, 5, 6]");
  v.extents[2] = 4;
  refused("v has the shape [2, 2, 4, 6], expected [2, 2, 5, 6]");
  v.extents[3] = 0;
  refused("v has the shape [2, 2, 5, 0], expected at least size 1");
  out.extents[3] = 8;
  refused("out has the shape [2, 4, 3, 8], expected [2, 4, 3, 6]");
  out.extents[1] = 2;
  refused("out has the shape [2, 2, 3, 6], expected [2, 4, 3, 6]");
  options.scores.extents[3] = 4;
  refused("scores has the shape [2, 4, 3, 4], expected [2, 4, 3, 5]");
}

TEST_F(AttentionRefusal, of_memory_that_cannot_be) {
  q.data = nullptr;
  refused("q [2, 4, 3, 8] has no data");
  v.data = nullptr;
  refused("v [2, 2, 5, 6] has no data");
  out.data = nullptr;
  refused("out [2, 4, 3, 6] has no data");
  q.strides[3] = 2;
  refused("q has the last stride 2, expected 1");
  k.strides[2] = -8;
  refused("k has the strides [80, 40, -8, 1], expected none below 0");
  k.strides[2] = 7;
  refused("k has the stride 7 from token to token, expected at least 8");
  k.strides[1] = kHuge / 2;
  refused("k", ErrorCode::limit);
  q.extents[0] = kHuge / 2;
  refused("q", ErrorCode::limit);
  out.strides[1] = 12;
  refused("out [2, 4, 3, 6] has the strides [72, 12, 6, 1], with which elements overlap");
  out.strides[0] = 0;
  refused("out [2, 4, 3, 6] has the strides [0, 18, 6, 1], with which elements overlap");
  options.scores.strides[1] = 0;
  refused("scores [2, 4, 3, 5] has the strides [60, 0, 5, 1], with which elements overlap");
}

TEST_F(AttentionRefusal, of_masks_and_biases) {
  const auto mask = [&](std::array<int64_t, 4> extents) {
    options.mask = StridedView::dense(bytes_.data(), extents, DType::boolean);
  };
  const auto bias = [&](std::array<int64_t, 4> extents) {
    options.bias = StridedView::dense(floats_.data(), extents);
  };
  const std::string expected =
      ", expected [2, 4, 3, 5], where 1 stands for all and there may be fewer keys";
  mask({3, 1, 3, 5});
  refused("mask has the shape [3, 1, 3, 5]" + expected);
  mask({2, 2, 3, 5});
  refused("mask has the shape [2, 2, 3, 5]" + expected);
  mask({2, 4, 2, 5});
  refused("mask has the shape [2, 4, 2, 5]" + expected);
  mask({2, 4, 3, 6});
  refused("mask has the shape [2, 4, 3, 6]" + expected);
  mask({0, 4, 3, 5});
  refused("mask has the shape [0, 4, 3, 5]" + expected);
  bias({1, 3, 3, 5});
  refused("bias has the shape [1, 3, 3, 5]" + expected);
  bias({1, 1, 1, 6});
  refused("bias has the shape [1, 1, 1, 6]" + expected);
  bias({1, 1, 3, 5});
  options.bias.strides[3] = 0;
  refused("bias has the last stride 0, expected 1");
  options.mask = StridedView::dense(nullptr, {1, 1, 3, 5}, DType::boolean);
  refused("mask [1, 1, 3, 5] has no data");
  options.alibi_slopes = std::span(floats_).first(3);
  refused("alibi_slopes has 3 numbers, expected one for each of 4 heads");
  const std::vector<float> slopes = {1, 2, kInfinity, 4};
  options.alibi_slopes = slopes;
  refused("alibi_slopes has inf, expected finite numbers");
  const auto relative = [&](Shape shape) {
    options.relative_bias = TensorView(floats_.data(), shape);
  };
  relative({4, 6});
  refused("relative_bias has the shape [4, 6], expected [1 or 4, an odd number]");
  relative({2, 5});
  refused("relative_bias has the shape [2, 5], expected [1 or 4, an odd number]");
  relative({5});
  refused("relative_bias has the shape [5], expected [1 or 4, an odd number]");
  options.relative_bias.shape = {1, 5};
  refused("relative_bias [1, 5] has no data");
}

TEST_F(AttentionRefusal, of_numbers) {
  for (const float scale : {kNaN, kInfinity, -kInfinity}) {
    options.scale = scale;
    refused("expected a finite number");
  }
  for (const float softcap : {kNaN, kInfinity, -1.0F}) {
    options.softcap = softcap;
    refused("expected a number above 0, or 0 for none");
  }
  options.left_window = -1;
  refused("left_window is -1, expected at least 0");
  options.right_window = -2;
  refused("right_window is -2, expected at least 0");
  options.threads = -1;
  refused("threads is -1, expected at least 0");
  options.strategy = static_cast<AttentionStrategy>(99);
  refused("attention strategy 99 is not known");
  options.score_stage = static_cast<ScoreStage>(7);
  refused("score stage 7 is not known");
}

TEST_F(AttentionRefusal, of_lengths_and_pasts) {
  const std::vector<int64_t> one = {5}, negative = {5, -1}, above = {6, 5}, good = {5, 3};
  options.key_lengths = one;
  refused("key_lengths has 1 numbers, expected one for each of 2 sequences");
  options.key_lengths = negative;
  refused("key_lengths has -1, expected 0 to 5");
  options.key_lengths = above;
  refused("key_lengths has 6, expected 0 to 5");
  options.key_lengths = good;
  options.bottom_right = true;
  refused("bottom_right does not go together with past_key or key_lengths");
  add_past();
  options.key_lengths = good;
  refused("key_lengths do not go together with past_key");
  add_past();
  options.bottom_right = true;
  refused("bottom_right does not go together with past_key or key_lengths");
  add_past();
  options.past_value = {};
  refused("past_key and past_value go together, but one is missing");
  add_past();
  options.past_key.extents[1] = 1;
  refused("past_key has the shape [2, 1, 4, 8], expected [2, 2, 4, 8]");
  add_past();
  options.past_value.extents[2] = 3;
  refused("past_value has the shape [2, 2, 3, 6], expected [2, 2, 4, 6]");
  add_past();
  options.past_key.dtype = DType::i8;
  refused("past_key is i8, expected f32");
}

TEST_F(AttentionRefusal, of_presents_that_are_too_small) {
  options.present_key.extents[2] = 4;
  refused("present_key has the shape [2, 2, 4, 8], expected [2, 2, 5, 8]");
  options.present_value.extents[3] = 8;
  refused("present_value has the shape [2, 2, 5, 8], expected [2, 2, 5, 6]");
  const MutableStridedView present = options.present_key;
  add_past();
  options.present_key = present;
  refused("present_key has the shape [2, 2, 5, 8], expected [2, 2, 9, 8]");
}

}  // namespace
}  // namespace headway
