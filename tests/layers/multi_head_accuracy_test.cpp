// MultiHead against the double oracle at real shapes: x ~ N(0, 1), weights as torch.nn.Linear
// begins with them, error at most 2e-6 sqrt(D).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/layers/multi_head_numbers.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

struct Case {
  const char* name;
  int64_t dim, heads;
  bool qkv_bias;
};

void PrintTo(const Case& shape, std::ostream* out) {
  *out << shape.name;
}

class MultiHeadAccuracy : public testing::TestWithParam<Case> {};

double largest_error(std::span<const float> got, std::span<const double> expected) {
  double largest = got.size() == expected.size() ? 0 : INFINITY;
  for (size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
    const double error = std::abs(got[i] - expected[i]);
    largest = error <= largest ? largest : error;  // NaN is the largest
  }
  return largest;
}

// One ragged batch holds every length, so that one call of the oracle, whose sequences do not
// depend on each other, serves the batch and dense batches of each length.
TEST_P(MultiHeadAccuracy, StaysWithinItsBound) {
  const Case& shape = GetParam();
  Random random(static_cast<uint32_t>(shape.dim + shape.qkv_bias));
  const MultiHeadNumbers numbers(random, shape.dim, shape.heads, shape.qkv_bias);
  const std::vector<size_t> lengths = {16, 1, 513, 2, 128, 7, 64, 17};
  const Batch batch = Batch::ragged(std::vector<int64_t>(lengths.begin(), lengths.end()));
  const std::vector<float> x = random.normals(batch.rows() * shape.dim);
  const reference::AttentionResult expected = numbers.expected(x, lengths);
  const double bound = 2e-6 * std::sqrt(static_cast<double>(shape.dim));

  with_each_strategy([&](AttentionStrategy strategy) {
    Graph graph;
    const MultiHeadValues values = multi_head(graph, graph.input("x", DType::f32, shape.dim),
                                              numbers.fused(), numbers.options(strategy));
    graph.output("y", values.output);
    graph.output("w", values.weights);
    const Engine engine = compile(graph, {.threads = 2});

    EXPECT_LE(largest_error(run_output(engine, batch, x, shape.dim), expected.output), bound);

    const std::vector<float> w = run_output(engine, batch, x, shape.dim, {}, "w");
    EXPECT_LE(largest_error(w, expected.weights), 1e-5);
    size_t row = 0;
    for (const size_t length : lengths)
      for (size_t i = 0; i < length * static_cast<size_t>(shape.heads); ++i, row += length) {
        double sum = 0;
        for (size_t j = 0; j < length; ++j) sum += double{w[row + j]};
        // The sum and the quotients round, each by 2^-24.
        ASSERT_NEAR(sum, 1, (static_cast<double>(length) + 4) * 0x1p-24);
      }
    EXPECT_EQ(row, w.size());

    for (size_t i = 0; i < lengths.size(); ++i) {
      SCOPED_TRACE(testing::Message() << lengths[i] << " tokens");
      const auto tokens = static_cast<int64_t>(lengths[i]);
      const int64_t begin = batch.offsets()[i] * shape.dim;
      const auto place = x.begin() + begin;
      const auto exact =
          std::span(expected.output)
              .subspan(static_cast<size_t>(begin), lengths[i] * static_cast<size_t>(shape.dim));
      // Three of the same, in a dense [3, T, D].
      std::vector<float> three;
      for (int copy = 0; copy < 3; ++copy)
        three.insert(three.end(), place, place + tokens * shape.dim);
      const auto y = run_output(engine, Batch::dense(3, tokens), three, shape.dim);
      ASSERT_EQ(y.size(), 3 * exact.size());
      for (size_t copy = 0; copy < 3; ++copy)
        EXPECT_LE(largest_error(std::span(y).subspan(copy * exact.size(), exact.size()), exact),
                  bound);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Shapes, MultiHeadAccuracy,
                         testing::Values(Case{"seed", 64, 8, false}, Case{"seed_bias", 64, 8, true},
                                         Case{"minilm", 384, 12, false},
                                         Case{"minilm_bias", 384, 12, true},
                                         Case{"bert_base", 768, 12, false},
                                         Case{"bert_base_bias", 768, 12, true}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace headway
