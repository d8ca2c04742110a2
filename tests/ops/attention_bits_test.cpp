// A sequence's attention is the same bit for bit alone and with others, in any order, with any
// number of threads, and whatever else is asked for.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/ops/attention_problem.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

// Three sequences, with a bias and a mask of their own each, and lengths.
struct Batch3 {
  Batch3(Random& random, const ProblemSizes& sizes)
      : problem(random, sizes, {.tokens = true, .gap = 3}),
        lengths({sizes.keys, sizes.keys / 2, sizes.keys - 1}),
        bias(random, {sizes.batch, sizes.heads, sizes.queries, sizes.keys}) {
    problem.options.key_lengths = lengths;
    problem.options.bias = bias.view();
    problem.options.causal = true;
    problem.options.left_window = 150;
  }

  AttentionProblem problem;
  std::vector<int64_t> lengths;
  StridedFloats bias;
};

constexpr ProblemSizes kSizes[] = {
    {.batch = 3,
     .heads = 4,
     .kv_heads = 2,
     .queries = 1,
     .keys = 200,
     .size = 32,
     .value_size = 32},
    {.batch = 3, .heads = 4, .kv_heads = 2, .queries = 5, .keys = 20, .size = 8, .value_size = 20},
    {.batch = 3,
     .heads = 4,
     .kv_heads = 1,
     .queries = 130,
     .keys = 300,
     .size = 33,
     .value_size = 64},
};

StridedView sequence(const StridedView& view, int64_t b) {
  StridedView one = view;
  one.data = static_cast<const float*>(view.data) + b * view.strides[0];
  one.extents[0] = 1;
  return one;
}

TEST(AttentionBits, do_not_depend_on_threads) {
  Random random(1);
  for (const ProblemSizes& sizes : kSizes) {
    const Batch3 batch(random, sizes);
    for_each_strategy([&](AttentionStrategy strategy) {
      const AttentionRun one = batch.problem.run(strategy, ScoreStage::weights, 1);
      for (const int threads : {2, 3, 0}) {
        const AttentionRun more = batch.problem.run(strategy, ScoreStage::weights, threads);
        EXPECT_TRUE(same_bits(one.out.values(), more.out.values())) << threads;
        EXPECT_TRUE(same_bits(one.scores.values(), more.scores.values())) << threads;
      }
    });
  }
}

TEST(AttentionBits, do_not_depend_on_what_else_is_asked_for) {
  Random random(2);
  for (const ProblemSizes& sizes : kSizes) {
    const Batch3 batch(random, sizes);
    for_each_strategy([&](AttentionStrategy strategy) {
      const std::vector<float> alone = batch.problem.run(strategy).out.values();
      for (const ScoreStage stage :
           {ScoreStage::raw, ScoreStage::softcap, ScoreStage::bias, ScoreStage::weights})
        EXPECT_TRUE(same_bits(batch.problem.run(strategy, stage).out.values(), alone))
            << to_string(stage);
    });
  }
}

TEST(AttentionBits, do_not_depend_on_batch_mates) {
  Random random(3);
  for (const ProblemSizes& sizes : kSizes) {
    const Batch3 batch(random, sizes);
    for_each_strategy([&](AttentionStrategy strategy) {
      const AttentionRun all = batch.problem.run(strategy, ScoreStage::weights);
      for (int64_t b = 0; b < sizes.batch; ++b) {
        AttentionOptions options = batch.problem.options;
        options.key_lengths = std::span(batch.lengths).subspan(static_cast<size_t>(b), 1);
        options.bias = sequence(options.bias, b);
        options.strategy = strategy;
        StridedFloats out({1, sizes.heads, sizes.queries, sizes.value_size}),
            scores({1, sizes.heads, sizes.queries, sizes.keys});
        options.scores = scores.target();
        attention(sequence(batch.problem.q.view(), b), sequence(batch.problem.k.view(), b),
                  sequence(batch.problem.v.view(), b), out.target(), options);
        EXPECT_TRUE(same_bits(out.values(), dense_floats(sequence(all.out.view(), b)))) << b;
        EXPECT_TRUE(same_bits(scores.values(), dense_floats(sequence(all.scores.view(), b)))) << b;
      }
    });
  }
}

// A head's attention is the same alone, with its keys and values to itself.
TEST(AttentionBits, do_not_depend_on_other_heads) {
  Random random(4);
  const ProblemSizes sizes{.batch = 2, .heads = 6, .kv_heads = 2, .queries = 9, .keys = 40};
  const AttentionProblem problem(random, sizes);
  for_each_strategy([&](AttentionStrategy strategy) {
    const AttentionRun all = problem.run(strategy);
    for (int64_t h = 0; h < sizes.heads; ++h) {
      const auto head = [](StridedView view, int64_t which) {
        view.data = static_cast<const float*>(view.data) + which * view.strides[1];
        view.extents[1] = 1;
        return view;
      };
      StridedFloats out({2, 1, 9, 8});
      AttentionOptions options;
      options.strategy = strategy;
      attention(head(problem.q.view(), h), head(problem.k.view(), h / 3),
                head(problem.v.view(), h / 3), out.target(), options);
      EXPECT_TRUE(same_bits(out.values(), dense_floats(head(all.out.view(), h)))) << h;
    }
  });
}

}  // namespace
}  // namespace headway
