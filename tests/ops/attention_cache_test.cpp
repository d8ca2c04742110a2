// Past keys and values in, present ones out: a cache that grows where it lies.
#include <gtest/gtest.h>

#include <vector>

#include "tests/ops/attention_problem.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

// The first `tokens` of a view.
template <typename View>
View first(View view, int64_t tokens) {
  view.extents[2] = tokens;
  return view;
}
StridedView tokens(StridedView view, int64_t begin, int64_t count) {
  view.data = static_cast<const float*>(view.data) + begin * view.strides[2];
  return first(view, count);
}

class AttentionCache : public testing::TestWithParam<bool> {};

// A causal sequence read in pieces, its keys and values kept in a cache of fixed room, gives what
// it gives in one piece.
TEST_P(AttentionCache, read_in_pieces_gives_the_same_as_at_once) {
  const StridedLayout layout{.tokens = GetParam(), .gap = GetParam() ? 3 : 0};
  constexpr int64_t kTokens = 40, kRoom = 50;
  Random random(1);
  AttentionProblem whole(random,
                         {.batch = 2,
                          .heads = 4,
                          .kv_heads = 2,
                          .queries = kTokens,
                          .keys = kTokens,
                          .value_size = 20},
                         layout);
  whole.options.causal = true;
  const std::vector<double> expected =
      reference::attention(whole.q.view(), whole.k.view(), whole.v.view(), whole.options).out;
  for_each_strategy([&](AttentionStrategy strategy) {
    StridedFloats keys({2, 2, kRoom, 8}, layout), values({2, 2, kRoom, 20}, layout),
        out({2, 4, kTokens, 20}, layout);
    int64_t past = 0;
    for (const int64_t count : {17, 1, 1, 3, 1, 16, 1}) {
      AttentionOptions options{.causal = true};
      options.strategy = strategy;
      options.past_key = first(keys.view(), past);
      options.past_value = first(values.view(), past);
      options.present_key = first(keys.target(), past + count);
      options.present_value = first(values.target(), past + count);
      MutableStridedView to = first(out.target(), count);
      to.data = static_cast<float*>(to.data) + past * to.strides[2];
      attention(tokens(whole.q.view(), past, count), tokens(whole.k.view(), past, count),
                tokens(whole.v.view(), past, count), to, options);
      past += count;
    }
    ASSERT_EQ(past, kTokens);
    expect_close(out, expected, attention_tolerance(whole.sizes), "out");
    EXPECT_TRUE(same_bits(dense_floats(first(keys.view(), kTokens)), whole.k.values()));
    EXPECT_TRUE(same_bits(dense_floats(first(values.view(), kTokens)), whole.v.values()));
    // Nothing beyond it.
    for (const float value : dense_floats(tokens(keys.view(), kTokens, kRoom - kTokens)))
      ASSERT_TRUE(std::isnan(value));
    EXPECT_TRUE(keys.gaps_untouched() && values.gaps_untouched());
  });
}

INSTANTIATE_TEST_SUITE_P(Layouts, AttentionCache, testing::Bool());

// Either of the present ones may be asked for alone.
TEST(AttentionPresent, is_written_where_asked_for) {
  Random random(2);
  const AttentionProblem problem(random, {.heads = 2, .queries = 3, .keys = 5, .past = 4});
  const reference::AttentionOutputs expected =
      reference::attention(problem.q.view(), problem.k.view(), problem.v.view(), problem.options);
  for (const bool key : {true, false}) {
    StridedFloats present({1, 1, 9, 8}), out({1, 2, 3, 8});
    AttentionOptions options = problem.options;
    (key ? options.present_key : options.present_value) = present.target();
    attention(problem.q.view(), problem.k.view(), problem.v.view(), out.target(), options);
    expect_close(present, key ? expected.present_key : expected.present_value, 0, "present");
    expect_close(out, expected.out, attention_tolerance(problem.sizes), "out");
  }
}

}  // namespace
}  // namespace headway
