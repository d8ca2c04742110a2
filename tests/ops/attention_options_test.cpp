// Any mixture of the options of headway::attention against the oracle.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/ops/attention_problem.hpp"
#include "tests/support/random.hpp"

namespace headway {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// What options point at.
struct Storage {
  std::vector<int64_t> lengths;
  std::vector<uint8_t> mask;
  std::vector<float> bias, slopes, vectors;
};

class Mixture {
 public:
  explicit Mixture(uint32_t seed) : random_(seed) {}

  bool chance(int32_t of) { return random_.below(of) == 0; }
  int64_t one_of(std::initializer_list<int64_t> values) {
    return values.begin()[random_.below(static_cast<int32_t>(values.size()))];
  }

  ProblemSizes sizes(std::initializer_list<int64_t> queries, std::initializer_list<int64_t> keys) {
    const int64_t kv_heads = one_of({1, 2, 3});
    return {.batch = one_of({1, 2, 3}),
            .heads = kv_heads * one_of({1, 2, 3}),
            .kv_heads = kv_heads,
            .queries = one_of(queries),
            .keys = one_of(keys),
            .past = chance(3) ? one_of({1, 5, 20}) : 0,
            .size = one_of({1, 7, 8, 20, 32, 33, 64, 80}),
            .value_size = one_of({1, 7, 8, 20, 32, 33, 64, 80})};
  }
  StridedLayout layout() { return {.tokens = chance(2), .gap = one_of({0, 0, 1, 3, 16})}; }
  Random& random() { return random_; }

  void choose_options(AttentionProblem& problem, Storage& storage) {
    const ProblemSizes& s = problem.sizes;
    AttentionOptions& options = problem.options;
    if (chance(3)) options.scale = random_.uniform(-1, 1);
    if (chance(4)) options.softcap = random_.uniform(0.5F, 5);
    options.causal = chance(3);
    if (chance(3)) options.left_window = random_.below(30);
    if (chance(3)) options.right_window = random_.below(30);
    if (s.past == 0) {
      if (chance(3)) {
        for (int64_t b = 0; b < s.batch; ++b)
          storage.lengths.push_back(random_.below(static_cast<int32_t>(s.keys) + 1));
        options.key_lengths = storage.lengths;
      } else {
        options.bottom_right = chance(3);
      }
    }
    if (chance(3)) {
      const auto extents = broadcast_extents(problem);
      for (int64_t i = 0; i < elements(extents); ++i) storage.mask.push_back(!chance(4));
      options.mask = StridedView::dense(storage.mask.data(), extents, DType::boolean);
    }
    if (chance(3)) {
      const auto extents = broadcast_extents(problem);
      storage.bias = random_.normals(elements(extents));
      for (float& value : storage.bias)
        if (chance(8)) value = -kInfinity;
      options.bias = StridedView::dense(storage.bias.data(), extents);
    }
    if (chance(4)) {
      storage.slopes = random_.uniforms(s.heads, 0, 0.5F);
      options.alibi_slopes = storage.slopes;
    }
    if (chance(4)) {
      const int64_t rows = chance(2) ? 1 : s.heads, reach = random_.below(20);
      storage.vectors = random_.normals(rows * (2 * reach + 1));
      options.relative_bias = TensorView(storage.vectors.data(), {rows, 2 * reach + 1});
    }
  }

  // NaN for all keys and values that no query sees, and in one value whoever sees it.
  void poison(AttentionProblem& problem) {
    const ProblemSizes& s = problem.sizes;
    const std::vector<double> weights =
        reference::attention(problem.q.view(), problem.k.view(), problem.v.view(), problem.options)
            .after(ScoreStage::weights);
    const int64_t keys = problem.all_keys(), group = s.heads / s.kv_heads;
    const auto is_seen = [&](int64_t b, int64_t h, int64_t j) {
      const int64_t first_row = (b * s.heads + h * group) * s.queries;
      for (int64_t row = first_row; row < first_row + group * s.queries; ++row)
        if (weights[static_cast<size_t>(row * keys + j)] > 0) return true;
      return false;
    };
    const int64_t chosen = random_.below(static_cast<int32_t>(keys));
    for_each_index({s.batch, s.kv_heads, keys, 1}, [&](int64_t b, int64_t h, int64_t j, int64_t) {
      const bool past = j < s.past, seen = is_seen(b, h, j);
      StridedFloats& k = past ? problem.past_key : problem.k;
      StridedFloats& v = past ? problem.past_value : problem.v;
      const int64_t at = past ? j : j - s.past;
      if (!seen) k.at(b, h, at, s.size / 2) = kNaN;
      if (!seen || j == chosen) v.at(b, h, at, s.value_size - 1) = kNaN;
    });
  }

 private:
  std::array<int64_t, 4> broadcast_extents(const AttentionProblem& problem) {
    const ProblemSizes& s = problem.sizes;
    const int64_t keys = problem.all_keys();
    return {chance(2) ? 1 : s.batch, chance(2) ? 1 : s.heads, chance(3) ? 1 : s.queries,
            chance(4) ? (keys + 1) / 2 : keys};
  }
  static int64_t elements(const std::array<int64_t, 4>& extents) {
    return extents[0] * extents[1] * extents[2] * extents[3];
  }

  Random random_;
};

void expect_agreement(uint32_t seed, std::initializer_list<int64_t> queries,
                      std::initializer_list<int64_t> keys) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Mixture mixture(seed);
  const ProblemSizes sizes = mixture.sizes(queries, keys);
  const StridedLayout layout = mixture.layout();
  AttentionProblem problem(mixture.random(), sizes, layout);
  Storage storage;
  mixture.choose_options(problem, storage);
  if (mixture.chance(3)) mixture.poison(problem);
  expect_agreement(problem);
}

TEST(AttentionOptions, agree_with_the_oracle_in_any_mixture) {
  for (uint32_t seed = 0; seed < 300 && !testing::Test::HasFatalFailure(); ++seed)
    expect_agreement(seed, {1, 2, 3, 7, 16, 17, 40}, {1, 2, 5, 16, 17, 33, 70});
}

// Beyond what any tile holds.
TEST(AttentionOptions, agree_with_the_oracle_on_many_queries_and_keys) {
  for (uint32_t seed = 1000; seed < 1012 && !testing::Test::HasFatalFailure(); ++seed)
    expect_agreement(seed, {1, 130, 300}, {1, 260, 600});
}

}  // namespace
}  // namespace headway
