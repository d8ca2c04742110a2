// The MultiHead oracle against PyTorch float64 (tests/golden/multihead_f64.bin, made by
// scripts/make_golden_multihead.py).
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/reference/attention.hpp"

namespace headway::reference {
namespace {

using Doubles = std::vector<double>;

struct Golden {
  Doubles x, qkv_weight, out_weight, out_bias, y, w, qkv_bias, y_bias, w_bias;

  static Golden read() {
    std::ifstream file(HEADWAY_SOURCE_DIR "/tests/golden/multihead_f64.bin", std::ios::binary);
    const auto take = [&file](size_t count) {
      Doubles values(count);
      file.read(reinterpret_cast<char*>(values.data()),
                static_cast<std::streamsize>(count * sizeof(double)));
      return values;
    };
    Golden golden;
    golden.x = take(2 * 10 * 64);
    golden.qkv_weight = take(192 * 64);
    golden.out_weight = take(64 * 64);
    golden.out_bias = take(64);
    golden.y = take(2 * 10 * 64);
    golden.w = take(2 * 8 * 10 * 10);
    golden.qkv_bias = take(192);
    golden.y_bias = take(2 * 10 * 64);
    golden.w_bias = take(2 * 8 * 10 * 10);
    EXPECT_TRUE(file.good() && file.peek() == EOF) << "the fixture has another size";
    return golden;
  }
};

void expect_near(const Doubles& actual, const Doubles& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], expected[i], 1e-13) << i;
}

TEST(MultiHead, equals_pytorch) {
  const Golden golden = Golden::read();
  const size_t lengths[] = {10, 10};
  const AttentionResult result =
      multi_head(golden.x, lengths, 8, {golden.qkv_weight, {}, golden.out_weight, golden.out_bias});
  expect_near(result.output, golden.y);
  expect_near(result.weights, golden.w);
}

TEST(MultiHead, with_a_qkv_bias_equals_pytorch) {
  const Golden golden = Golden::read();
  const size_t lengths[] = {10, 10};
  const AttentionResult result =
      multi_head(golden.x, lengths, 8,
                 {golden.qkv_weight, golden.qkv_bias, golden.out_weight, golden.out_bias});
  expect_near(result.output, golden.y_bias);
  expect_near(result.weights, golden.w_bias);
}

TEST(MultiHead, of_a_ragged_batch_is_that_of_each_sequence_alone) {
  const Golden golden = Golden::read();
  const MultiHeadWeights weights = {golden.qkv_weight, {}, golden.out_weight, golden.out_bias};
  const size_t lengths[] = {3, 0, 1, 16};
  const AttentionResult together = multi_head(golden.x, lengths, 8, weights);
  ASSERT_EQ(together.weights.size(), 8u * (9 + 1 + 256));
  Doubles output, attention_weights;
  std::span<const double> rest = golden.x;
  for (const size_t length : lengths) {
    const AttentionResult alone =
        multi_head(rest.first(length * 64), std::span(&length, 1), 8, weights);
    output.insert(output.end(), alone.output.begin(), alone.output.end());
    attention_weights.insert(attention_weights.end(), alone.weights.begin(), alone.weights.end());
    rest = rest.subspan(length * 64);
  }
  EXPECT_EQ(together.output, output);
  EXPECT_EQ(together.weights, attention_weights);
}

}  // namespace
}  // namespace headway::reference
