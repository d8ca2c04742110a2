// The rules of headway::attention at the edges: nothing to see, one token, sizes that fit no
// vector, numbers at the ends of their range.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/guarded.hpp"
#include "tests/ops/attention_problem.hpp"

namespace headway {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(AttentionEdge, nothing_to_do_is_done) {
  Random random(1);
  for (const ProblemSizes& sizes :
       {ProblemSizes{.batch = 0, .heads = 4, .kv_heads = 2, .queries = 3, .keys = 3},
        ProblemSizes{.batch = 2, .heads = 4, .kv_heads = 2, .queries = 0, .keys = 3},
        ProblemSizes{.batch = 2, .heads = 4, .kv_heads = 2, .queries = 0, .keys = 0},
        ProblemSizes{.batch = 0, .heads = 4, .kv_heads = 2, .queries = 0, .keys = 0}}) {
    SCOPED_TRACE(testing::Message() << sizes.batch << ' ' << sizes.queries << ' ' << sizes.keys);
    expect_agreement(AttentionProblem(random, sizes));
  }
  // An empty std::vector has no data.
  const StridedView none(nullptr, DType::f32, {0, 4, 3, 8}, {96, 24, 8, 1});
  attention(none, none, none, {nullptr, DType::f32, none.extents, none.strides});
}

TEST(AttentionEdge, no_keys_give_zeros) {
  Random random(2);
  const AttentionProblem problem(random, {.batch = 2, .heads = 3, .queries = 4, .keys = 0});
  for_each_strategy([&](AttentionStrategy strategy) {
    const std::vector<float> out = problem.run(strategy).out.values();
    EXPECT_EQ(out, std::vector<float>(2 * 3 * 4 * 8, 0.0F));
  });
}

TEST(AttentionEdge, one_token_gives_its_value) {
  Random random(3);
  for (const int64_t size : {1, 8, 20, 32, 64, 80, 128, 256, 7, 33}) {
    const AttentionProblem problem(
        random, {.batch = 2, .heads = 3, .kv_heads = 3, .size = size, .value_size = size});
    for_each_strategy([&](AttentionStrategy strategy) {
      const AttentionRun run = problem.run(strategy, ScoreStage::weights);
      EXPECT_EQ(run.out.values(), problem.v.values()) << size;
      EXPECT_EQ(run.scores.values(), std::vector<float>(6, 1.0F)) << size;
    });
  }
}

// At every distance from a vector's boundary, and between NaN.
TEST(AttentionEdge, any_size_anywhere) {
  Random random(4);
  for (const int64_t size : {1, 7, 8, 20, 32, 33, 64, 80, 128, 256}) {
    for (const int64_t gap : {0, 1, 2, 3, 5, 13}) {
      for (const bool tokens : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << "size " << size << ", gap " << gap << ", tokens " << tokens);
        const ProblemSizes sizes{.batch = 2,
                                 .heads = 4,
                                 .kv_heads = 2,
                                 .queries = 5,
                                 .keys = 19,
                                 .past = gap,
                                 .size = size,
                                 .value_size = gap % 2 ? size : size + gap};
        expect_agreement(AttentionProblem(random, sizes, {.tokens = tokens, .gap = gap}));
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Products of powers of two are exact, so that the largest score is the same in double precision.
TEST(AttentionEdge, huge_scores_choose) {
  Random random(5);
  for (const float scale : {1.0F, -1.0F}) {
    for (const int64_t size : {1, 8, 33}) {
      AttentionProblem problem(random, {.queries = 4, .keys = 40, .size = size});
      problem.q.for_each([](float& x) { x = 0; });
      problem.k.for_each([](float& x) { x = 0; });
      // 2^100 is 1.3e30.
      for (int64_t i = 0; i < 4; ++i) problem.q.at(0, 0, i, size / 2) = i % 2 ? 0x1p50F : -0x1p50F;
      for (int64_t j = 0; j < 40; ++j)
        problem.k.at(0, 0, j, size / 2) = j % 3 == 0 ? 0x1p50F : j % 3 == 1 ? -0x1p50F : 1;
      problem.options.scale = scale;
      expect_agreement(problem);
      // All that are seen at the lowest score of all share alike.
      problem.k.for_each([](float& x) { x = std::abs(x); });
      expect_agreement(problem);
    }
  }
}

TEST(AttentionEdge, huge_scores_are_capped) {
  Random random(6);
  AttentionProblem problem(random, {.queries = 3, .keys = 21});
  problem.q.for_each([](float& x) { x *= 1e15F; });
  problem.k.for_each([](float& x) { x *= 1e15F; });
  problem.options.softcap = 30;
  expect_agreement(problem);
}

TEST(AttentionEdge, huge_and_infinite_biases) {
  Random random(7);
  const float values[] = {
      0, -kInfinity, 1e30F, -1e30F, std::numeric_limits<float>::lowest(), -100.0F, 88, -kInfinity};
  for (const int64_t keys : {3, 8, 40}) {
    AttentionProblem problem(random, {.heads = 2, .kv_heads = 2, .queries = 24, .keys = keys});
    // Rows of one of them alone, which all keys then share, and mixtures.
    std::vector<float> bias;
    for (int64_t i = 0; i < 24; ++i)
      for (int64_t j = 0; j < keys; ++j)
        bias.push_back(i < 8 ? values[i] : values[(i + j * (i % 3)) % 8]);
    problem.options.bias = StridedView::dense(bias.data(), {1, 1, 24, keys});
    expect_agreement(problem);
  }
}

TEST(AttentionEdge, equal_keys_share_alike) {
  Random random(8);
  for (const int64_t keys : {2, 3, 64, 1000}) {
    AttentionProblem problem(random, {.queries = 2, .keys = keys});
    problem.k.for_each([](float& x) { x = 0.7F; });
    problem.v.for_each([](float& x) { x = -3; });
    for_each_strategy([&](AttentionStrategy strategy) {
      const AttentionRun run = problem.run(strategy, ScoreStage::weights);
      const auto share = 1 / static_cast<float>(keys);
      // Each weight and each step of their sum rounds.
      const double tolerance = 3 * 0x1p-24 * static_cast<double>(keys + 4);
      for (const float weight : run.scores.values()) EXPECT_NEAR(weight, share, 4e-7 * share);
      for (const float value : run.out.values()) EXPECT_NEAR(value, -3, tolerance);
    });
  }
}

// As NumPy and PyTorch leave them.
TEST(AttentionEdge, strides_along_one_element_mean_nothing) {
  Random random(10);
  for (const ProblemSizes& sizes :
       {ProblemSizes{.keys = 9}, ProblemSizes{.heads = 2, .keys = 9, .size = 1, .value_size = 1},
        ProblemSizes{.batch = 2, .queries = 5},
        ProblemSizes{.batch = 2, .heads = 4, .kv_heads = 4}}) {
    const AttentionProblem problem(random, sizes);
    const reference::AttentionOutputs expected =
        reference::attention(problem.q.view(), problem.k.view(), problem.v.view());
    for (const int64_t stride : {int64_t{0}, int64_t{1}, int64_t{7}, int64_t{1} << 40}) {
      const auto odd = [stride](auto view) {
        for (size_t axis = 0; axis < 4; ++axis)
          if (view.extents[axis] == 1) view.strides[axis] = stride;
        return view;
      };
      for_each_strategy([&](AttentionStrategy strategy) {
        for (const ScoreStage stage : {ScoreStage::raw, ScoreStage::weights}) {
          SCOPED_TRACE(testing::Message() << "stride " << stride << ' ' << to_string(stage));
          StridedFloats out({sizes.batch, sizes.heads, sizes.queries, sizes.value_size}),
              scores({sizes.batch, sizes.heads, sizes.queries, sizes.keys});
          AttentionOptions options;
          options.strategy = strategy;
          options.scores = odd(scores.target());
          options.score_stage = stage;
          attention(odd(problem.q.view()), odd(problem.k.view()), odd(problem.v.view()),
                    odd(out.target()), options);
          expect_close(out, expected.out, attention_tolerance(sizes), "out");
          expect_close(scores, expected.after(stage), attention_tolerance(sizes), "scores");
        }
      });
    }
  }
}

// Input memory that ends where its page does, and outputs likewise.
TEST(AttentionEdge, nothing_is_read_or_written_beyond_the_arrays) {
  Random random(9);
  for (const int64_t size : {1, 8, 20, 33, 64}) {
    const AttentionProblem problem(
        random,
        {.heads = 2, .kv_heads = 2, .queries = 7, .keys = 21, .size = size, .value_size = size});
    const std::vector<double> expected =
        reference::attention(problem.q.view(), problem.k.view(), problem.v.view()).out;
    for (const test::Guard guard : test::kGuards) {
      for_each_strategy([&](AttentionStrategy strategy) {
        test::Guarded q(problem.q.values(), guard), k(problem.k.values(), guard),
            v(problem.v.values(), guard), out(std::vector<float>(2 * 7 * size), guard),
            weights(std::vector<float>(2 * 7 * 21), guard);
        AttentionOptions options;
        options.strategy = strategy;
        options.scores = MutableStridedView::dense(weights.data(), {1, 2, 7, 21});
        attention(StridedView::dense(q.data(), {1, 2, 7, size}),
                  StridedView::dense(k.data(), {1, 2, 21, size}),
                  StridedView::dense(v.data(), {1, 2, 21, size}),
                  MutableStridedView::dense(out.data(), {1, 2, 7, size}), options);
        for (size_t i = 0; i < expected.size(); ++i)
          ASSERT_NEAR(out.values()[i], expected[i], attention_tolerance(problem.sizes)) << i;
      });
    }
  }
}

}  // namespace
}  // namespace headway
