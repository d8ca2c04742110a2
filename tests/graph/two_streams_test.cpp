// A graph of two inputs of different lengths: queries from one, keys and values from the other, and
// a Linear after pooling; against the oracles.
#include <gtest/gtest.h>

#include <cmath>

#include "headway/layers.hpp"
#include "tests/layers/multi_head_numbers.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

using reference::widen;

constexpr int64_t kDim = 40, kHeads = 5, kSize = kDim / kHeads, kClasses = 7;

struct Model {
  Random random{3};
  MultiHeadNumbers attention{random, kDim, kHeads};
  LinearNumbers classifier{random, kDim, kClasses};

  Graph graph() const {
    Graph graph;
    const Value x = graph.input("x", DType::f32, kDim);
    const Value memory = graph.input("memory", DType::f32, kDim);
    const Value attended =
        add(graph, multi_head(graph, x, memory, attention.fused(), attention.options()).output, x);
    graph.output("y", linear(graph, pool(graph, attended, Pooling::mean), classifier.weights()));
    return graph;
  }

  // Of one sequence.
  std::vector<double> expected(std::span<const float> x, std::span<const float> memory) const {
    const size_t rows = x.size() / kDim, keys = memory.size() / kDim;
    const auto qkv_weight = widen(attention.qkv.weight), qkv_bias = widen(attention.qkv.bias);
    const auto q = reference::linear(widen(x), rows, qkv_weight, qkv_bias);
    const auto kv = reference::linear(widen(memory), keys, qkv_weight, qkv_bias);
    const auto mixed = reference::attention(
        {q.data(), rows, 3 * kDim}, {kv.data() + kDim, keys, 3 * kDim},
        {kv.data() + 2 * kDim, keys, 3 * kDim}, kHeads, kSize, 1 / std::sqrt(double{kSize}));
    auto attended = reference::linear(mixed.output, rows, widen(attention.out.weight),
                                      widen(attention.out.bias));
    for (size_t i = 0; i < attended.size(); ++i) attended[i] += x[i];
    return reference::linear(reference::mean_rows(attended, rows, kDim), 1,
                             widen(classifier.weight), widen(classifier.bias));
  }
};

TEST(TwoStreams, AttendPoolAndClassify) {
  const Model model;
  Random random(4);
  const Batch batch = Batch::ragged(std::vector<int64_t>{4, 30, 1, 17});
  const Batch memory_batch = Batch::ragged(std::vector<int64_t>{25, 2, 60, 16});
  const std::vector<float> x = random.normals(batch.rows() * kDim);
  const std::vector<float> memory = random.normals(memory_batch.rows() * kDim);
  const Engine engine = compile(model.graph(), {.threads = 2});
  for (const Mode mode : {Mode::automatic, Mode::across, Mode::inside}) {
    std::vector<float> y(4 * kClasses);
    RunOptions options;
    options.mode = mode;
    engine.run({{"memory", memory_batch, {memory.data(), {memory_batch.rows(), kDim}}},
                {"x", batch, {x.data(), {batch.rows(), kDim}}}},
               {{"y", {y.data(), {4, kClasses}}}}, options);
    for (size_t i = 0; i < 4; ++i) {
      const auto part = [&](const std::vector<float>& rows, const Batch& of) {
        return std::span(rows).subspan(
            static_cast<size_t>(of.offsets()[i] * kDim),
            static_cast<size_t>(of.length(static_cast<int64_t>(i)) * kDim));
      };
      const auto expected = model.expected(part(x, batch), part(memory, memory_batch));
      for (size_t c = 0; c < kClasses; ++c) ASSERT_NEAR(y[i * kClasses + c], expected[c], 5e-6);
    }
  }
}

// Limits and memory are about every stream: a long memory counts as a long x would.
TEST(TwoStreams, CountBothStreams) {
  const Model model;
  const Engine engine = compile(model.graph(), {.threads = 1});
  const std::vector<float> x(static_cast<size_t>(200 * kDim));
  std::vector<float> y(kClasses);
  const auto peak_of = [&](int64_t x_tokens, int64_t memory_tokens) {
    const Engine fresh = compile(model.graph(), {.threads = 1});
    fresh.run({{"x", Batch::dense(1, x_tokens), {x.data(), {x_tokens, kDim}}},
               {"memory", Batch::dense(1, memory_tokens), {x.data(), {memory_tokens, kDim}}}},
              {{"y", {y.data(), {1, kClasses}}}});
    return fresh.info().peak_memory;
  };
  EXPECT_GT(peak_of(1, 200), peak_of(1, 1));
  EXPECT_GT(peak_of(200, 1), peak_of(1, 1));
  EXPECT_GT(peak_of(200, 200), peak_of(200, 1));
}

}  // namespace
}  // namespace headway
