// headway::attention against the ONNX project's own tests of its operator Attention.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "headway/attention.hpp"
#include "tests/ops/attention_strategies.hpp"
#include "tests/support/onnx_attention.hpp"

namespace headway {
namespace {

// Memory for an output, NaN at first, of the shape and order of what is expected there.
class Output {
 public:
  explicit Output(const StridedView& expected) : expected_(expected) {
    int64_t count = expected ? 1 : 0;
    for (const int64_t extent : expected.extents) count *= extent;
    values_.resize(static_cast<size_t>(count), std::numeric_limits<float>::quiet_NaN());
  }

  MutableStridedView view() {
    if (!expected_) return {};
    return {values_.data(), DType::f32, expected_.extents, expected_.strides};
  }
  void expect_near(const char* name, double tolerance) const {
    const auto* expected = static_cast<const float*>(expected_.data);
    for (size_t i = 0; i < values_.size(); ++i) {
      if (tolerance == 0 || std::isinf(expected[i]))
        ASSERT_EQ(values_[i], expected[i]) << name << ' ' << i;
      else
        ASSERT_NEAR(values_[i], expected[i], tolerance) << name << ' ' << i;
    }
  }

 private:
  StridedView expected_;
  std::vector<float> values_;
};

TEST(OnnxAttention, passes_every_case_in_every_strategy) {
  const OnnxAttention onnx;
  std::map<std::string, int> types;
  int more_outputs = 0;
  for (const OnnxAttentionCase& one : onnx.cases()) {
    SCOPED_TRACE(one.name);
    ++types[one.type];
    more_outputs += one.present_key || one.scores;
    for_each_strategy([&](AttentionStrategy strategy) {
      Output y(one.y), present_key(one.present_key), present_value(one.present_value),
          scores(one.scores);
      AttentionOptions options = one.options;
      options.present_key = present_key.view();
      options.present_value = present_value.view();
      options.scores = scores.view();
      options.strategy = strategy;
      attention(one.q, one.k, one.v, y.view(), options);
      y.expect_near("Y", one.tolerance());
      present_key.expect_near("present_key", 0);
      present_value.expect_near("present_value", 0);
      scores.expect_near("qk_matmul_output", one.tolerance());
    });
  }
  // None is lost.
  EXPECT_EQ(types, (std::map<std::string, int>{{"float32", 82}, {"float16", 6}, {"bfloat16", 5}}));
  EXPECT_EQ(more_outputs, 29);
}

}  // namespace
}  // namespace headway
