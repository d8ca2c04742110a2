// Keys hidden from a query have no influence on it, whatever hides them and whatever they hold; a
// query that sees none gives zeros.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/kernels/guarded.hpp"
#include "tests/ops/attention_problem.hpp"

namespace headway {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Everything that hides keys, on 9 queries and 23 keys of two sequences.
class Hidden : public testing::Test {
 protected:
  static constexpr int64_t kQueries = 9, kKeys = 23;
  using Hide = std::function<void(AttentionOptions&)>;

  void SetUp() override {
    Random random(1);
    for (int64_t i = 0; i < kQueries * kKeys; ++i) {
      // Query 4 sees nothing, and nobody sees keys 3 and 20.
      const int64_t row = i / kKeys, key = i % kKeys;
      const bool seen = row != 4 && key != 3 && key != 20 && random.below(3) > 0;
      mask_.push_back(seen);
      bias_.push_back(seen ? random.uniform(-1, 1) : -kInfinity);
    }
  }

  std::vector<std::pair<std::string, Hide>> ways() const {
    return {
        {"causal", [](AttentionOptions& o) { o.causal = true; }},
        {"bottom right", [](AttentionOptions& o) { o.causal = o.bottom_right = true; }},
        {"windows", [](AttentionOptions& o) { o.left_window = 2, o.right_window = 3; }},
        {"left window of a causal query",
         [](AttentionOptions& o) { o.causal = o.bottom_right = true, o.left_window = 4; }},
        {"key lengths", [this](AttentionOptions& o) { o.key_lengths = lengths_; }},
        {"key lengths, causal",
         [this](AttentionOptions& o) { o.key_lengths = lengths_, o.causal = true; }},
        {"mask",
         [this](AttentionOptions& o) {
           o.mask = StridedView::dense(mask_.data(), {1, 1, kQueries, kKeys}, DType::boolean);
         }},
        {"a mask for all queries",
         [this](AttentionOptions& o) {
           o.mask = StridedView::dense(mask_.data(), {1, 1, 1, kKeys}, DType::boolean);
         }},
        {"a short mask",
         [this](AttentionOptions& o) {
           o.mask = {mask_.data(), DType::boolean, {1, 1, kQueries, 7}, {0, 0, kKeys, 1}};
         }},
        {"bias",
         [this](AttentionOptions& o) {
           o.bias = StridedView::dense(bias_.data(), {1, 1, kQueries, kKeys});
         }},
        {"a short bias",
         [this](AttentionOptions& o) {
           o.bias = {bias_.data(), DType::f32, {1, 1, kQueries, 7}, {0, 0, kKeys, 1}};
         }},
        {"mask, bias and window",
         [this](AttentionOptions& o) {
           o.mask = StridedView::dense(mask_.data(), {1, 1, kQueries, kKeys}, DType::boolean);
           o.bias = StridedView::dense(bias_.data(), {1, 1, 1, kKeys});
           o.left_window = 5;
         }},
    };
  }

  std::vector<int64_t> lengths_ = {17, 5};
  std::vector<uint8_t> mask_;
  std::vector<float> bias_;
};

TEST_F(Hidden, keys_count_for_nothing) {
  for (const auto& [name, hide] : ways()) {
    SCOPED_TRACE(name);
    Random random(2);
    AttentionProblem problem(random, {.batch = 2, .heads = 2, .queries = kQueries, .keys = kKeys});
    hide(problem.options);
    expect_agreement(problem);
  }
}

// Each key in turn holds NaN or infinity, as key, as value or as both. What the queries that do not
// see it give stays as it was; what sees a NaN becomes one.
TEST_F(Hidden, keys_may_hold_anything) {
  constexpr ProblemSizes kSizes{.batch = 2, .heads = 2, .queries = kQueries, .keys = kKeys};
  enum Where { in_key = 1, in_value = 2, in_both = 3 };
  for (const auto& [name, hide] : ways()) {
    Random random(3);
    AttentionProblem clean(random, kSizes);
    hide(clean.options);
    const std::vector<double> seen =
        reference::attention(clean.q.view(), clean.k.view(), clean.v.view(), clean.options)
            .after(ScoreStage::weights);
    for (const int64_t key : {int64_t{0}, int64_t{3}, int64_t{11}, int64_t{20}, kKeys - 1}) {
      for (const float poison : {kNaN, kInfinity, -kInfinity}) {
        for (const Where where : {in_key, in_value, in_both}) {
          SCOPED_TRACE(testing::Message()
                       << name << ", key " << key << ", " << poison << " in " << where);
          Random same(3);
          AttentionProblem poisoned(same, kSizes);
          hide(poisoned.options);
          for (int64_t b = 0; b < 2; ++b) {
            for (int64_t c = 0; c < 8; ++c) {
              if (where & in_key) poisoned.k.at(b, 0, key, c) = poison;
              if (where & in_value) poisoned.v.at(b, 0, key, c) = poison;
            }
          }
          for_each_strategy([&](AttentionStrategy strategy) {
            const AttentionRun before = clean.run(strategy, ScoreStage::weights),
                               after = poisoned.run(strategy, ScoreStage::weights);
            const std::vector<float> out = before.out.values(), other_out = after.out.values(),
                                     weights = before.scores.values(),
                                     other_weights = after.scores.values();
            for (size_t i = 0; i < out.size(); ++i) {
              if (seen[i / 8 * kKeys + static_cast<size_t>(key)] == 0) {
                ASSERT_NEAR(other_out[i], out[i], attention_tolerance(kSizes)) << "out " << i;
              } else if (std::isnan(poison)) {
                ASSERT_TRUE(std::isnan(other_out[i])) << "out " << i << " is " << other_out[i];
              }
            }
            for (size_t i = 0; i < weights.size(); ++i) {
              if (seen[i / kKeys * kKeys + static_cast<size_t>(key)] == 0) {
                ASSERT_EQ(other_weights[i], weights[i]) << "weight " << i;
              }
            }
          });
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Whatever hides all of them, alone or together with something else.
TEST_F(Hidden, all_keys_give_zeros) {
  const std::vector<int64_t> empty = {0, 0};
  std::vector<uint8_t> none(kKeys), last(kKeys), even(kKeys);
  std::vector<float> minus(kKeys, -kInfinity), odd(kKeys);
  last.back() = 1;
  for (size_t j = 0; j < even.size(); ++j) {
    even[j] = j % 2 == 0;
    if (even[j]) odd[j] = -kInfinity;
  }
  const auto mask = [](AttentionOptions& o, const std::vector<uint8_t>& row, int64_t keys) {
    o.mask = StridedView::dense(row.data(), {1, 1, 1, keys}, DType::boolean);
  };
  const auto bias = [](AttentionOptions& o, const std::vector<float>& row) {
    o.bias = StridedView::dense(row.data(), {1, 1, 1, kKeys});
  };
  const std::vector<std::pair<std::string, Hide>> all = {
      {"mask", [&](AttentionOptions& o) { mask(o, none, kKeys); }},
      {"a mask of one", [&](AttentionOptions& o) { mask(o, none, 1); }},
      {"a mask of none", [&](AttentionOptions& o) { mask(o, even, 0); }},
      {"bias", [&](AttentionOptions& o) { bias(o, minus); }},
      {"key lengths", [&](AttentionOptions& o) { o.key_lengths = empty; }},
      {"mask and bias", [&](AttentionOptions& o) { mask(o, even, kKeys), bias(o, odd); }},
      {"causal and mask", [&](AttentionOptions& o) { mask(o, last, kKeys), o.causal = true; }},
  };
  for (const auto& [name, hide] : all) {
    SCOPED_TRACE(name);
    Random random(4);
    AttentionProblem problem(random, {.batch = 2, .heads = 2, .queries = kQueries, .keys = kKeys});
    hide(problem.options);
    problem.k.at(0, 0, 5, 0) = problem.v.at(0, 0, 5, 0) = kNaN;
    for_each_strategy([&](AttentionStrategy strategy) {
      const AttentionRun run = problem.run(strategy, ScoreStage::weights);
      EXPECT_THAT(run.out.values(), testing::Each(0.0F));
      EXPECT_THAT(run.scores.values(), testing::Each(0.0F));
      EXPECT_THAT(problem.run(strategy, ScoreStage::bias).scores.values(),
                  testing::Each(-kInfinity));
    });
  }
}

// The keys beyond a length lie on a page that nobody may touch.
TEST_F(Hidden, keys_beyond_a_length_are_never_read) {
  Random random(5);
  for (const int64_t size : {1, 8, 20, 32, 33}) {
    for (const int64_t length : {1, 5, 16, 40}) {
      const std::vector<int64_t> lengths = {length};
      AttentionProblem problem(random,
                               {.queries = 6, .keys = length, .size = size, .value_size = size});
      const std::vector<double> expected =
          reference::attention(problem.q.view(), problem.k.view(), problem.v.view()).out;
      const test::Guarded k(problem.k.values(), test::Guard::behind),
          v(problem.v.values(), test::Guard::behind);
      for_each_strategy([&](AttentionStrategy strategy) {
        StridedFloats out({1, 1, 6, size}), scores({1, 1, 6, 200});
        AttentionOptions options;
        options.strategy = strategy;
        options.key_lengths = lengths;
        options.scores = scores.target();
        attention(problem.q.view(), StridedView::dense(k.values().data(), {1, 1, 200, size}),
                  StridedView::dense(v.values().data(), {1, 1, 200, size}), out.target(), options);
        expect_close(out, expected, attention_tolerance(problem.sizes), "out");
      });
    }
  }
}

}  // namespace
}  // namespace headway
