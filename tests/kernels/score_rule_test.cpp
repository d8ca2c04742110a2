// The rule of attention scores on every target: numbers, edges, and what hidden keys must not do.
#include "engine/kernels/score_rule.hpp"

#include "tests/kernels/kernel_test.hpp"
#include "tests/kernels/random_rule.hpp"

namespace headway::test {
namespace {

TEST(ScoreRule, agrees_with_the_oracle_and_keeps_to_its_arrays) {
  on_each_target([] {
    for (uint32_t seed = 0; seed < 400; ++seed) {
      std::mt19937 random(seed);
      const size_t keys = 1 + random() % 70;
      const RandomRule made(random, 3, 20, keys);
      const size_t head = random() % 3, query = random() % 20;
      const std::vector<float> scores = normal_values(keys, 0, 3, seed);
      const std::vector<double> expected =
          expected_scores(made.rule, head, query, reference::widen(scores));
      for (const Guard guard : kGuards) {
        Guarded got(scores, guard);
        apply_score_rule(made.rule, head, query, keys, got.data());
        for (size_t key = 0; key < keys; ++key) {
          if (expected[key] == double{-kInfinity}) {
            ASSERT_EQ(got.data()[key], -kInfinity) << "seed " << seed << ", key " << key;
          } else {
            ASSERT_NEAR(got.data()[key], expected[key], 4e-6 * (4 + std::abs(expected[key])))
                << "seed " << seed << ", key " << key;
          }
        }
      }
    }
  });
}

TEST(ScoreRule, hides_whatever_the_score_is) {
  on_each_target([] {
    const std::vector<uint8_t> mask = {1, 0, 0, 0, 1};
    const std::vector<float> bias = {1, 1, 1, -kInfinity, 1};
    ScoreRule rule{.last = 3};
    rule.mask = {mask.data(), 0, 0, 1};
    rule.bias = {bias.data(), 0, 0, 1};
    std::vector<float> scores = {2, kNaN, kInfinity, kNaN, kNaN};
    apply_score_rule(rule, 0, 0, scores.size(), scores.data());
    EXPECT_EQ(scores, (std::vector<float>{3, -kInfinity, -kInfinity, -kInfinity, -kInfinity}));
  });
}

TEST(ScoreRule, band_is_what_the_distances_leave) {
  const auto band = [](const ScoreRule& rule, size_t query, size_t queries, size_t keys) {
    const KeyRange range = rule.band(query, queries, keys);
    return std::pair(range.begin, range.end);
  };
  using Pair = std::pair<size_t, size_t>;
  EXPECT_EQ(band({}, 3, 2, 10), (Pair{0, 10}));
  EXPECT_EQ(band({.last = 0}, 3, 1, 10), (Pair{0, 4}));
  EXPECT_EQ(band({.last = 0}, 3, 4, 5), (Pair{0, 5}));
  EXPECT_EQ(band({.position = 2, .first = -1, .last = 1}, 3, 2, 10), (Pair{4, 8}));
  EXPECT_EQ(band({.position = -5, .last = 0}, 3, 1, 10), (Pair{0, 0}));
  EXPECT_EQ(band({.first = 7}, 5, 1, 10), (Pair{0, 0}));
  EXPECT_EQ(band({.visible_keys = 2}, 5, 1, 10), (Pair{0, 2}));
}

TEST(ScoreRule, adds_visible_values_in_order) {
  on_each_target([] {
    const size_t keys = 9, size = 21;
    const std::vector<float> v = normal_values(keys * size), weights = normal_values(keys);
    std::vector<float> dirty = v;
    const std::vector<uint8_t> mask = {1, 1, 0, 1, 1, 1, 0, 1, 1};
    ScoreRule rule{.first = -3, .last = 2};
    rule.mask = {mask.data(), 0, 0, 1};
    const size_t query = 4;  // sees 1 to 6, but for the masked 2 and 6
    for (const size_t hidden : {0, 2, 6, 7, 8}) std::fill_n(&dirty[hidden * size], size, kNaN);
    for (const Guard guard : kGuards) {
      Guarded rows(dirty, guard), out(std::vector<float>(size, 0.5f), guard);
      add_visible_values(rule, 0, query, {0, keys}, weights.data(), rows.data(), size, size,
                         out.data());
      for (size_t i = 0; i < size; ++i) {
        double sum = 0.5;
        for (const size_t key : {1, 3, 4, 5})
          sum += double{weights[key]} * double{v[key * size + i]};
        ASSERT_NEAR(out.data()[i], sum, 1e-6) << i;
      }
    }
  });
}

TEST(ScoreRule, finds_what_is_not_finite) {
  on_each_target([] {
    for (const size_t size : {1, 7, 16, 33}) {
      const size_t stride = size + 3, count = 5;
      std::vector<float> rows = normal_values(count * stride);
      for (size_t row = 0; row < count; ++row) rows[row * stride + size] = kNaN;  // between rows
      EXPECT_TRUE(all_finite(rows.data(), stride, count, size));
      for (const float bad : {kNaN, kInfinity, -kInfinity}) {
        for (const size_t at : {size_t{0}, size - 1, 4 * stride + size - 1}) {
          std::vector<float> with = rows;
          with[at] = bad;
          EXPECT_FALSE(all_finite(with.data(), stride, count, size)) << size << ' ' << at;
        }
      }
    }
  });
}

}  // namespace
}  // namespace headway::test
