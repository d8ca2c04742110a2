// MultiHead: its forms, its edges, and attention between two streams.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/layers/multi_head_numbers.hpp"
#include "tests/layers/stored_weight.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

using reference::widen;

constexpr int64_t kDim = 48, kHeads = 4, kSize = kDim / kHeads;

void expect_near(const std::vector<float>& y, const std::vector<double>& expected) {
  ASSERT_EQ(y.size(), expected.size());
  for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-5) << i;
}

TEST(MultiHead, FusedAndInThreePartsIsTheSameBits) {
  for (const bool bias : {false, true}) {
    Random random(1);
    const MultiHeadNumbers numbers(random, kDim, kHeads, bias);
    const Batch batch = Batch::ragged(std::vector<int64_t>{5, 33, 1});
    const std::vector<float> x = random.normals(batch.rows() * kDim);
    const auto run = [&](const MultiHeadWeights& weights) {
      return run_layer(batch, x, kDim, [&](Graph& graph, Value value) {
        return multi_head(graph, value, weights, numbers.options()).output;
      });
    };
    const auto fused = run(numbers.fused());
    EXPECT_TRUE(same_bits(fused, run(numbers.in_three())));
    expect_near(fused, numbers.expected(x, {5, 33, 1}).output);
  }
}

TEST(MultiHead, ReadsEveryStorageOfItsWeights) {
  for (const Storage& storage : storages()) {
    SCOPED_TRACE(storage.name());
    Random random(2);
    const StoredWeight qkv(random, storage.dtype, {3 * kDim, kDim}, 0.25f, storage.odd);
    const StoredWeight out(random, storage.dtype, {kDim, kDim}, 0.25f, storage.odd);
    const StoredWeight bias(random, storage.dtype, {kDim}, 0.25f, storage.odd);
    const std::vector<float> x = random.normals(30 * kDim);
    const auto y = run_layer(Batch::dense(3, 10), x, kDim, [&](Graph& graph, Value value) {
      return multi_head(graph, value, {{{qkv.weight(), {}}}, {out.weight(), bias.weight()}},
                        {.heads = kHeads})
          .output;
    });
    const auto q = widen(qkv.values()), o = widen(out.values()), b = widen(bias.values());
    const std::vector<size_t> lengths = {10, 10, 10};
    expect_near(y, reference::multi_head(widen(x), lengths, kHeads, {q, {}, o, b}).output);
  }
}

// One head, heads of one number, and a head count that divides nothing evenly into vectors.
TEST(MultiHead, TakesAnyDivisorAsItsHeads) {
  for (const int64_t heads : {1, 3, 16, 48}) {
    SCOPED_TRACE(heads);
    Random random(3);
    const MultiHeadNumbers numbers(random, kDim, heads);
    const std::vector<float> x = random.normals(19 * kDim);
    const std::vector<double> expected = numbers.expected(x, {19}).output;
    with_each_strategy([&](AttentionStrategy strategy) {
      const auto y = run_layer(Batch::dense(1, 19), x, kDim, [&](Graph& graph, Value value) {
        return multi_head(graph, value, numbers.fused(), numbers.options(strategy)).output;
      });
      expect_near(y, expected);
    });
  }
}

TEST(MultiHead, TakesAnotherScale) {
  Random random(4);
  const MultiHeadNumbers numbers(random, kDim, kHeads);
  const std::vector<float> x = random.normals(9 * kDim);
  MultiHeadOptions options = numbers.options();
  options.scale = 1.75f;
  const auto y = run_layer(Batch::dense(1, 9), x, kDim, [&](Graph& graph, Value value) {
    return multi_head(graph, value, numbers.fused(), options).output;
  });
  const auto qkv =
      reference::linear(widen(x), 9, widen(numbers.qkv.weight), widen(numbers.qkv.bias));
  const auto rows = [&](size_t part) {
    return reference::Rows{qkv.data() + part * kDim, 9, 3 * kDim};
  };
  const auto mixed = reference::attention(rows(0), rows(1), rows(2), kHeads, kSize, 1.75);
  expect_near(
      y, reference::linear(mixed.output, 9, widen(numbers.out.weight), widen(numbers.out.bias)));
}

// Projections may take another width than D, as in PyTorch's MultiheadAttention with kdim.
TEST(MultiHead, TakesAnInputOfAnotherWidth) {
  Random random(5);
  const LinearNumbers qkv(random, 20, 3 * kDim), out(random, kDim, kDim);
  const std::vector<float> x = random.normals(6 * 20);
  const auto y = run_layer(Batch::dense(1, 6), x, 20, [&](Graph& graph, Value value) {
    return multi_head(graph, value, {{qkv.weights()}, out.weights()}, {.heads = kHeads}).output;
  });
  const auto rows = reference::linear(widen(x), 6, widen(qkv.weight), widen(qkv.bias));
  const auto part = [&](size_t p) { return reference::Rows{rows.data() + p * kDim, 6, 3 * kDim}; };
  const auto mixed =
      reference::attention(part(0), part(1), part(2), kHeads, kSize, 1 / std::sqrt(double{kSize}));
  expect_near(y, reference::linear(mixed.output, 6, widen(out.weight), widen(out.bias)));
}

// Queries from x, keys and values from memory; the fused weights are cut into q and kv.
TEST(MultiHead, AttendsToAnotherStream) {
  Random random(6);
  const MultiHeadNumbers numbers(random, kDim, kHeads);
  const std::vector<int64_t> x_lengths = {4, 0, 17, 2, 0}, memory_lengths = {9, 5, 1, 0, 0};
  const Batch x_batch = Batch::ragged(x_lengths), memory_batch = Batch::ragged(memory_lengths);
  const std::vector<float> x = random.normals(x_batch.rows() * kDim);
  const std::vector<float> memory = random.normals(memory_batch.rows() * kDim);

  std::vector<std::vector<float>> outputs, weights;
  const auto attend = [&](const MultiHeadWeights& form, AttentionStrategy strategy) {
    Graph graph;
    const Value in = graph.input("x", DType::f32, kDim);
    const Value other = graph.input("memory", DType::f32, kDim);
    const MultiHeadValues values = multi_head(graph, in, other, form, numbers.options(strategy));
    graph.output("y", values.output);
    graph.output("w", values.weights);
    const std::vector<Input> inputs = {
        {"x", x_batch, {x.data(), {x_batch.rows(), kDim}}},
        {"memory", memory_batch, {memory.data(), {memory_batch.rows(), kDim}}}};
    const Engine engine = compile(graph, {.threads = 2});
    std::vector<float> y(x.size());
    std::vector<float> w(static_cast<size_t>(engine.output_elements("w", inputs)));
    const std::vector<Output> bound = {{"y", {y.data(), {x_batch.rows(), kDim}}},
                                       {"w", {w.data(), {static_cast<int64_t>(w.size())}}}};
    engine.run(inputs, bound);
    outputs.push_back(y);
    weights.push_back(w);
  };
  attend(numbers.fused(), AttentionStrategy::automatic);
  attend(numbers.in_three(), AttentionStrategy::automatic);
  EXPECT_TRUE(same_bits(outputs[0], outputs[1]));
  EXPECT_TRUE(same_bits(weights[0], weights[1]));
  for (const AttentionMethod& method : attention_methods())
    attend(numbers.fused(), method.strategy);

  const auto wide_weight = widen(numbers.qkv.weight), wide_bias = widen(numbers.qkv.bias);
  const auto project = [&](const std::vector<float>& from, int64_t rows) {
    return reference::linear(widen(from), static_cast<size_t>(rows), wide_weight, wide_bias);
  };
  const auto q = project(x, x_batch.rows()), kv = project(memory, memory_batch.rows());
  std::vector<double> mixed, expected_weights;
  for (size_t i = 0; i < x_lengths.size(); ++i) {
    const auto part = [&](const std::vector<double>& rows, const Batch& batch, size_t p) {
      return reference::Rows{rows.data() + batch.offsets()[i] * 3 * kDim + p * kDim,
                             static_cast<size_t>(batch.length(static_cast<int64_t>(i))), 3 * kDim};
    };
    const auto one = reference::attention(part(q, x_batch, 0), part(kv, memory_batch, 1),
                                          part(kv, memory_batch, 2), kHeads, kSize,
                                          1 / std::sqrt(double{kSize}));
    mixed.insert(mixed.end(), one.output.begin(), one.output.end());
    expected_weights.insert(expected_weights.end(), one.weights.begin(), one.weights.end());
  }
  const std::vector<double> expected =
      reference::linear(mixed, static_cast<size_t>(x_batch.rows()), widen(numbers.out.weight),
                        widen(numbers.out.bias));
  for (const std::vector<float>& y : outputs) expect_near(y, expected);
  for (const std::vector<float>& w : weights) expect_near(w, expected_weights);
}

TEST(MultiHead, GivesItsWeightsAlone) {
  Random random(7);
  const MultiHeadNumbers numbers(random, kDim, kHeads);
  const Batch batch = Batch::ragged(std::vector<int64_t>{5, 0, 21, 90});
  const std::vector<float> x = random.normals(batch.rows() * kDim);
  const std::vector<double> expected = numbers.expected(x, {5, 0, 21, 90}).weights;
  with_each_strategy([&](AttentionStrategy strategy) {
    Graph graph;
    const MultiHeadValues values = multi_head(graph, graph.input("x", DType::f32, kDim),
                                              numbers.fused(), numbers.options(strategy));
    graph.output("y", values.output);
    graph.output("w", values.weights);
    const Engine engine = compile(graph, {.threads = 2});
    for (const Mode mode : {Mode::across, Mode::inside}) {
      RunOptions options;
      options.mode = mode;
      expect_near(run_output(engine, batch, x, kDim, options, "w"), expected);
    }
  });
}

// Only the weights are declared: the values of the sequence need not even be computed.
TEST(MultiHead, GivesWeightsOfAGraphWithoutItsOutput) {
  Random random(8);
  const MultiHeadNumbers numbers(random, kDim, kHeads);
  const std::vector<float> x = random.normals(14 * kDim);
  const auto w = run_layer(Batch::dense(2, 7), x, kDim, [&](Graph& graph, Value value) {
    return multi_head(graph, value, numbers.fused(), numbers.options()).weights;
  });
  expect_near(w, numbers.expected(x, {7, 7}).weights);
}

// Scores in the thousands: softmax must subtract the maximum.
TEST(MultiHead, StaysFiniteForLargeScores) {
  Random random(9);
  const MultiHeadNumbers numbers(random, kDim, kHeads);
  std::vector<float> x = random.normals(12 * kDim);
  for (float& value : x) value *= 200;
  const std::vector<double> expected = numbers.expected(x, {12}).output;
  with_each_strategy([&](AttentionStrategy strategy) {
    const auto y = run_layer(Batch::dense(1, 12), x, kDim, [&](Graph& graph, Value value) {
      return multi_head(graph, value, numbers.fused(), numbers.options(strategy)).output;
    });
    for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 0.05) << i;
  });
}

}  // namespace
}  // namespace headway
