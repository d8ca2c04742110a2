// The oracle of the attention operator against sums made by hand: keys whose scores are logarithms
// of small numbers, so that the weights are those numbers' shares.
#include "tests/reference/attention_operator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/reference/attention.hpp"
#include "tests/support/random.hpp"

namespace headway::reference {
namespace {

using Doubles = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

StridedView view(const Doubles& values, std::array<int64_t, 4> extents) {
  return StridedView::dense(values.data(), extents, DType::f64);
}
StridedView floats(const std::vector<float>& values, std::array<int64_t, 4> extents) {
  return StridedView::dense(values.data(), extents);
}

void expect_near(const Doubles& actual, const Doubles& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (std::isinf(expected[i]))
      EXPECT_EQ(actual[i], expected[i]) << i;
    else
      EXPECT_NEAR(actual[i], expected[i], 2e-7 * (1 + std::abs(expected[i]))) << i;
  }
}

// One head of one number; each of three queries scores the keys ln 1, ln 2, ln 5.
class ThreeKeys : public testing::Test {
 protected:
  AttentionOutputs run() const {
    options.scale = 1;
    return attention(view(q, {1, 1, 3, 1}), view(k, {1, 1, 3, 1}), view(v, {1, 1, 3, 2}), options);
  }
  Doubles weights() const { return run().after(ScoreStage::weights); }

  Doubles q = {1, 1, 1};
  Doubles k = {0, std::log(2), std::log(5)};
  Doubles v = {8, 80, 16, 0, 24, -8};
  mutable AttentionOptions options;
};

TEST_F(ThreeKeys, share_the_weight) {
  const AttentionOutputs all = run();
  const Doubles row = {0.125, 0.25, 0.625}, mixed = {1 + 4 + 15, 10 - 5};
  expect_near(all.after(ScoreStage::weights),
              {row[0], row[1], row[2], row[0], row[1], row[2], row[0], row[1], row[2]});
  expect_near(all.out, {mixed[0], mixed[1], mixed[0], mixed[1], mixed[0], mixed[1]});
  expect_near(all.present_key, k);
  expect_near(all.present_value, v);
}

TEST_F(ThreeKeys, are_seen_one_after_the_other) {
  options.causal = true;
  expect_near(weights(), {1, 0, 0, 1.0 / 3, 2.0 / 3, 0, 1.0 / 8, 2.0 / 8, 5.0 / 8});
  options.left_window = 1;
  expect_near(weights(), {1, 0, 0, 1.0 / 3, 2.0 / 3, 0, 0, 2.0 / 7, 5.0 / 7});
  options.left_window = 0;
  expect_near(weights(), {1, 0, 0, 0, 1, 0, 0, 0, 1});
}

TEST_F(ThreeKeys, through_windows) {
  options.right_window = 1;
  expect_near(weights(),
              {1.0 / 3, 2.0 / 3, 0, 1.0 / 8, 2.0 / 8, 5.0 / 8, 1.0 / 8, 2.0 / 8, 5.0 / 8});
  options.left_window = 0;
  expect_near(weights(), {1.0 / 3, 2.0 / 3, 0, 0, 2.0 / 7, 5.0 / 7, 0, 0, 1});
}

TEST_F(ThreeKeys, of_which_two_exist) {
  const int64_t lengths[] = {2};
  options.key_lengths = lengths;
  k[2] = v[4] = v[5] = kNaN;
  const AttentionOutputs all = run();
  expect_near(all.after(ScoreStage::weights),
              {1.0 / 3, 2.0 / 3, 0, 1.0 / 3, 2.0 / 3, 0, 1.0 / 3, 2.0 / 3, 0});
  const double ln2 = std::log(2);
  expect_near(all.after(ScoreStage::raw), {0, ln2, 0, 0, ln2, 0, 0, ln2, 0});
  expect_near(all.after(ScoreStage::bias),
              {0, ln2, -kInfinity, 0, ln2, -kInfinity, 0, ln2, -kInfinity});
  // The last of the three queries stands at the second key, so the first one before all of them.
  options.causal = true;
  expect_near(weights(), {0, 0, 0, 1, 0, 0, 1.0 / 3, 2.0 / 3, 0});
  expect_near(run().out, {0, 0, 8, 80, (8 + 32) / 3.0, 80 / 3.0});
}

TEST_F(ThreeKeys, with_one_masked_or_all) {
  const uint8_t mask[] = {1, 0, 1, 0, 0, 0, 1, 1, 0};
  options.mask = StridedView::dense(mask, {1, 1, 3, 3}, DType::boolean);
  k[1] = v[2] = v[3] = kNaN;
  k[0] = std::log(3);
  const AttentionOutputs all = run();
  // Row 2 sees the NaN.
  expect_near(
      Doubles(all.after(ScoreStage::weights).begin(), all.after(ScoreStage::weights).begin() + 6),
      {3.0 / 8, 0, 5.0 / 8, 0, 0, 0});
  expect_near(Doubles(all.out.begin(), all.out.begin() + 4), {3 + 15, 30 - 5, 0, 0});
  EXPECT_TRUE(std::isnan(all.out[4]) && std::isnan(all.out[5]));
  EXPECT_EQ(all.after(ScoreStage::weights)[8], 0);
}

TEST_F(ThreeKeys, beyond_the_mask_or_bias_are_hidden) {
  const uint8_t mask[] = {1, 1};
  options.mask = StridedView::dense(mask, {1, 1, 1, 2}, DType::boolean);
  const Doubles two = {1.0 / 3, 2.0 / 3, 0, 1.0 / 3, 2.0 / 3, 0, 1.0 / 3, 2.0 / 3, 0};
  expect_near(weights(), two);
  options.mask = {};
  const std::vector<float> bias = {1, 1};
  options.bias = floats(bias, {1, 1, 1, 2});
  expect_near(weights(), two);
}

TEST_F(ThreeKeys, with_a_bias) {
  // Times 10, times 1, hidden for every query but the last.
  const auto hide = static_cast<float>(-kInfinity);
  const auto ten = static_cast<float>(std::log(10));
  const std::vector<float> bias = {ten, 0, hide, ten, 0, hide, hide, hide, hide};
  options.bias = floats(bias, {1, 1, 3, 3});
  k[2] = kNaN;
  const AttentionOutputs all = run();
  expect_near(all.after(ScoreStage::weights),
              {10.0 / 12, 2.0 / 12, 0, 10.0 / 12, 2.0 / 12, 0, 0, 0, 0});
  const double ln2 = std::log(2);
  expect_near(all.after(ScoreStage::bias),
              {ten, ln2, -kInfinity, ten, ln2, -kInfinity, -kInfinity, -kInfinity, -kInfinity});
}

TEST_F(ThreeKeys, with_one_bias_or_mask_for_all) {
  const std::vector<float> one = {3};
  options.bias = floats(one, {1, 1, 1, 1});
  const uint8_t yes[] = {1};
  options.mask = StridedView::dense(yes, {1, 1, 1, 1}, DType::boolean);
  expect_near(weights(),
              {1.0 / 8, 2.0 / 8, 5.0 / 8, 1.0 / 8, 2.0 / 8, 5.0 / 8, 1.0 / 8, 2.0 / 8, 5.0 / 8});
}

TEST_F(ThreeKeys, at_a_slope) {
  // Half the weight for each step.
  const float slope[] = {static_cast<float>(std::log(2))};
  options.alibi_slopes = slope;
  expect_near(weights(), {1 / 3.25, 1 / 3.25, 1.25 / 3.25, 0.5 / 5, 2.0 / 5, 2.5 / 5, 0.25 / 6.25,
                          1 / 6.25, 5 / 6.25});
}

TEST_F(ThreeKeys, by_distance) {
  // Times 3 before the query, times 1 at it, times 2 after it, however far.
  const float vectors[] = {static_cast<float>(std::log(3)), 0, static_cast<float>(std::log(2))};
  options.relative_bias = TensorView(vectors, {1, 3});
  expect_near(weights(), {1.0 / 15, 4.0 / 15, 10.0 / 15, 3.0 / 15, 2.0 / 15, 10.0 / 15, 3.0 / 14,
                          6.0 / 14, 5.0 / 14});
}

TEST_F(ThreeKeys, under_a_cap) {
  options.softcap = 0.5;
  const float slope[] = {1};
  options.alibi_slopes = slope;
  const AttentionOutputs all = run();
  const auto capped = [](double x) { return 0.5 * std::tanh(2 * std::log(x)); };
  const Doubles raw = {0, std::log(2), std::log(5)}, cap = {0, capped(2), capped(5)};
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      const auto at = static_cast<size_t>(3 * i + j), key = static_cast<size_t>(j);
      EXPECT_EQ(all.after(ScoreStage::raw)[at], raw[key]);
      EXPECT_NEAR(all.after(ScoreStage::softcap)[at], cap[key], 1e-15);
      EXPECT_NEAR(all.after(ScoreStage::bias)[at], cap[key] - static_cast<double>(std::abs(i - j)),
                  1e-15);
    }
  }
}

TEST_F(ThreeKeys, come_after_a_past) {
  const Doubles past_k = {std::log(2)}, past_v = {-8, 0};
  options.past_key = view(past_k, {1, 1, 1, 1});
  options.past_value = view(past_v, {1, 1, 1, 2});
  options.causal = true;
  const AttentionOutputs all = run();
  expect_near(all.after(ScoreStage::weights),
              {2.0 / 3, 1.0 / 3, 0, 0, 0.4, 0.2, 0.4, 0, 0.2, 0.1, 0.2, 0.5});
  expect_near(all.out,
              {(-16 + 8) / 3.0, 80 / 3.0, -3.2 + 1.6 + 6.4, 16, -1.6 + 0.8 + 3.2 + 12, 8 - 4});
  expect_near(all.present_key, {std::log(2), 0, std::log(2), std::log(5)});
  expect_near(all.present_value, {-8, 0, 8, 80, 16, 0, 24, -8});
}

TEST(AttentionOperator, stands_at_the_last_key_when_asked) {
  const Doubles q = {1}, k = {0, std::log(2), std::log(5)}, v = {1, 2, 3};
  AttentionOptions options{.scale = 1, .causal = true};
  const auto weights = [&] {
    return attention(view(q, {1, 1, 1, 1}), view(k, {1, 1, 3, 1}), view(v, {1, 1, 3, 1}), options)
        .after(ScoreStage::weights);
  };
  expect_near(weights(), {1, 0, 0});
  options.bottom_right = true;
  expect_near(weights(), {1.0 / 8, 2.0 / 8, 5.0 / 8});
}

TEST(AttentionOperator, shares_keys_among_heads_in_a_row) {
  // Two sequences, four query heads for two of keys and values: each value says whose it is.
  const Doubles q(2 * 4, 1.0), k(2 * 2, 1.0), v = {0, 1, 10, 11};
  const AttentionOutputs all =
      attention(view(q, {2, 4, 1, 1}), view(k, {2, 2, 1, 1}), view(v, {2, 2, 1, 1}));
  expect_near(all.out, {0, 0, 1, 1, 10, 10, 11, 11});
}

TEST(AttentionOperator, scales_by_the_root_of_the_size_unless_told) {
  const Doubles q(4, 1.0), k = {1, 2, 3, 4}, v = {1};
  const auto raw = [&](const AttentionOptions& options) {
    return attention(view(q, {1, 1, 1, 4}), view(k, {1, 1, 1, 4}), view(v, {1, 1, 1, 1}), options)
        .after(ScoreStage::raw);
  };
  EXPECT_EQ(raw({}), Doubles{5});
  EXPECT_EQ(raw({.scale = -0.25F}), Doubles{-2.5});
}

// The oracle of one sequence, which PyTorch has confirmed (multi_head_test.cpp), is a special case.
TEST(AttentionOperator, of_plain_rows_is_that_of_one_sequence) {
  Random random(5);
  const auto numbers = [&](int64_t count) {
    const std::vector<float> values = random.normals(count);
    return Doubles(values.begin(), values.end());
  };
  const int64_t heads = 3, size = 5, width = heads * size;
  const Doubles q = numbers(4 * width), kv = numbers(6 * 2 * width);
  const AttentionResult rows = attention(Rows{q.data(), 4, 15}, Rows{kv.data(), 6, 30},
                                         Rows{kv.data() + width, 6, 30}, 3, 5, 1 / std::sqrt(5.0));
  const auto part = [&](const double* data, int64_t tokens, int64_t row) {
    return StridedView::rows(data, 1, tokens, heads, size, row, DType::f64);
  };
  const AttentionOutputs all = attention(part(q.data(), 4, width), part(kv.data(), 6, 2 * width),
                                         part(kv.data() + width, 6, 2 * width));
  EXPECT_EQ(all.after(ScoreStage::weights), rows.weights);
  for (size_t i = 0; i < 4; ++i)
    for (size_t h = 0; h < 3; ++h)
      for (size_t c = 0; c < 5; ++c)
        EXPECT_EQ(all.out[(h * 4 + i) * 5 + c], rows.output[(i * 3 + h) * 5 + c]);
}

}  // namespace
}  // namespace headway::reference
