// The oracle of the attention operator against the ONNX project's own tests.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/attention_operator.hpp"
#include "tests/support/onnx_attention.hpp"
#include "tests/support/strided_floats.hpp"

namespace headway::reference {
namespace {

void expect_near(const std::vector<double>& actual, const StridedView& expected, double tolerance) {
  if (!expected) return;
  const std::vector<float> values = dense_floats(expected);
  ASSERT_EQ(actual.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isinf(values[i]))
      ASSERT_EQ(actual[i], values[i]) << i;
    else
      ASSERT_NEAR(actual[i], values[i], tolerance) << i;
  }
}

TEST(AttentionOperator, equals_onnx) {
  const OnnxAttention onnx;
  ASSERT_EQ(onnx.cases().size(), OnnxAttention::kCases);
  for (const OnnxAttentionCase& one : onnx.cases()) {
    SCOPED_TRACE(one.name);
    const AttentionOutputs all = attention(one.q, one.k, one.v, one.options);
    expect_near(all.out, one.y, one.tolerance());
    expect_near(all.present_key, one.present_key, 0);
    expect_near(all.present_value, one.present_value, 0);
    expect_near(all.after(one.options.score_stage), one.scores, one.tolerance());
  }
}

}  // namespace
}  // namespace headway::reference
