// Random calls of headway::attention, and whether what they give is what the oracle says.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "headway/attention.hpp"
#include "tests/ops/attention_strategies.hpp"
#include "tests/reference/attention_operator.hpp"
#include "tests/support/strided_floats.hpp"

namespace headway {

struct ProblemSizes {
  int64_t batch = 1, heads = 1, kv_heads = 1;
  int64_t queries = 1, keys = 1, past = 0;
  int64_t size = 8, value_size = 8;
};

// What a call has written; NaN where it has not.
struct AttentionRun {
  StridedFloats out, scores, present_key, present_value;
};

// Operands N(0, 1), and the options to call with. The past is in them already.
class AttentionProblem {
 public:
  AttentionProblem(Random& random, const ProblemSizes& sizes, StridedLayout layout = {})
      : sizes(sizes),
        layout(layout),
        q(random, {sizes.batch, sizes.heads, sizes.queries, sizes.size}, layout),
        k(random, {sizes.batch, sizes.kv_heads, sizes.keys, sizes.size}, layout),
        v(random, {sizes.batch, sizes.kv_heads, sizes.keys, sizes.value_size}, layout),
        past_key(random, {sizes.batch, sizes.kv_heads, sizes.past, sizes.size}, layout),
        past_value(random, {sizes.batch, sizes.kv_heads, sizes.past, sizes.value_size}, layout) {
    if (sizes.past == 0) return;
    options.past_key = past_key.view();
    options.past_value = past_value.view();
  }
  // The options point into the operands.
  AttentionProblem(const AttentionProblem&) = delete;
  AttentionProblem& operator=(const AttentionProblem&) = delete;

  int64_t all_keys() const { return sizes.past + sizes.keys; }

  // With scores after `stage` and the present, or with the output alone.
  AttentionRun run(AttentionStrategy strategy, std::optional<ScoreStage> stage = {},
                   int threads = 0) const {
    const ProblemSizes& s = sizes;
    AttentionRun result{
        StridedFloats({s.batch, s.heads, s.queries, s.value_size}, layout),
        StridedFloats({s.batch, s.heads, s.queries, all_keys()}, {.gap = layout.gap}),
        StridedFloats({s.batch, s.kv_heads, all_keys(), s.size}, layout),
        StridedFloats({s.batch, s.kv_heads, all_keys(), s.value_size}, layout)};
    AttentionOptions with = options;
    with.strategy = strategy;
    with.threads = threads;
    if (stage) {
      with.score_stage = *stage;
      with.scores = result.scores.target();
      with.present_key = result.present_key.target();
      with.present_value = result.present_value.target();
    }
    attention(q.view(), k.view(), v.view(), result.out.target(), with);
    return result;
  }

  ProblemSizes sizes;
  StridedLayout layout;
  StridedFloats q, k, v, past_key, past_value;
  AttentionOptions options;
};

// NaN is equal to NaN, and infinity to itself; other numbers to within `tolerance` times (1 + their
// size).
inline void expect_close(const StridedFloats& actual, const std::vector<double>& expected,
                         double tolerance, const char* name) {
  ASSERT_TRUE(actual.gaps_untouched()) << name;
  const std::vector<float> values = actual.values();
  ASSERT_EQ(values.size(), expected.size()) << name;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(expected[i]))
      ASSERT_TRUE(std::isnan(values[i])) << name << ' ' << i << " is " << values[i];
    else if (std::isinf(expected[i]) || tolerance == 0)
      ASSERT_EQ(values[i], expected[i]) << name << ' ' << i;
    else
      ASSERT_NEAR(values[i], expected[i], tolerance * (1 + std::abs(expected[i])))
          << name << ' ' << i;
  }
}

// Scores are sums of `size` products, some units of rounding off; that moves weights by as much,
// relative to them.
inline double attention_tolerance(const ProblemSizes& sizes) {
  return 64 * 0x1p-24 * std::sqrt(static_cast<double>(sizes.size));
}

// Runs the problem in every strategy, with each kind of scores and without, against the oracle.
inline void expect_agreement(const AttentionProblem& problem) {
  const reference::AttentionOutputs expected =
      reference::attention(problem.q.view(), problem.k.view(), problem.v.view(), problem.options);
  const double tolerance = attention_tolerance(problem.sizes);
  for_each_strategy([&](AttentionStrategy strategy) {
    for (const ScoreStage stage :
         {ScoreStage::raw, ScoreStage::softcap, ScoreStage::bias, ScoreStage::weights}) {
      SCOPED_TRACE(to_string(stage));
      const AttentionRun run = problem.run(strategy, stage);
      expect_close(run.out, expected.out, tolerance, "out");
      expect_close(run.scores, expected.after(stage), tolerance, "scores");
      expect_close(run.present_key, expected.present_key, 0, "present_key");
      expect_close(run.present_value, expected.present_value, 0, "present_value");
      if (testing::Test::HasFatalFailure()) return;
    }
    expect_close(problem.run(strategy).out, expected.out, tolerance, "out alone");
  });
}

}  // namespace headway
