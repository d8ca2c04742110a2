// Which layers run as one step, and that no bit of a result tells.
#include "engine/graph/optimize.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>

#include "engine/base/message.hpp"
#include "engine/ops/precision.hpp"
#include "tests/graph/small_graph.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

constexpr int64_t kDim = SmallBlock::kDim, kRows = 130;

using Build = std::function<std::vector<Value>(Graph&, Value x, Value ids)>;

// A graph whose output "y" is the last of the values build() makes; the others are outputs too when
// `watched`.
Graph make(const Build& build, bool watched) {
  Graph graph;
  const Value x = graph.input("x", DType::f32, kDim);
  const std::vector<Value> values = build(graph, x, graph.input("ids", DType::i32, 1, x));
  graph.output("y", values.back());
  for (size_t i = 0; watched && i + 1 < values.size(); ++i)
    graph.output(cat("watched ", i), values[i]);
  return graph;
}

class Optimize : public testing::Test {
 protected:
  Value norm(Graph& graph, Value x) const {
    return layer_norm(graph, x, TensorView(block.gamma.data(), {kDim}),
                      TensorView(block.beta.data(), {kDim}), 1e-5f);
  }

  // Tables of their own for each i in [0, 4).
  Value words(Graph& graph, Value ids, int64_t i) const {
    return embedding(graph, ids, TensorView(&table[i * kRows * kDim], {kRows, kDim}));
  }
  Value places(Graph& graph, Value like, int64_t i) const {
    return position_embedding(graph, like, TensorView(&table[i * kRows * kDim], {kRows, kDim}));
  }

  // "y" of a run that is asked for all outputs.
  std::vector<float> run(const Engine& engine, Mode mode) const {
    const Input inputs[] = {{"x", batch, {x.data(), {batch.rows(), kDim}}},
                            {"ids", batch, {ids.data(), {batch.rows()}}}};
    std::deque<std::vector<float>> values;
    std::vector<Output> outputs;
    const EngineInfo info = engine.info();  // the outputs below refer to its names
    for (const std::string& name : info.outputs) {
      const int64_t elements = engine.output_elements(name, inputs);
      values.emplace_back(static_cast<size_t>(elements), -1.0f);
      outputs.push_back({name, {values.back().data(), {elements}}});
    }
    RunOptions options;
    options.mode = mode;
    engine.run(inputs, outputs, options);
    return values.front();
  }

  // What build() makes runs in `fused` steps, or in one for each value when all are outputs, with
  // the same bits in each precision, mode, and on one thread and two.
  void expect_steps(size_t fused, const Build& build) const {
    const Graph whole = make(build, false), watched = make(build, true);
    const size_t values = watched.state().outputs.size();
    EXPECT_EQ(optimize(whole.state()).size(), fused);
    EXPECT_EQ(optimize(watched.state()).size(), values);
    for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
      if (!is_fast(precision)) continue;
      const CompileOptions options{.precision = precision};
      const auto expected = run(compile(watched, {.threads = 1}, options), Mode::automatic);
      for (const int threads : {1, 2})
        for (const Mode mode : {Mode::across, Mode::inside}) {
          const Engine engine = compile(whole, {.threads = threads}, options);
          EXPECT_TRUE(same_bits(run(engine, mode), expected))
              << to_string(precision) << ", " << threads << " threads, mode "
              << static_cast<int>(mode);
        }
    }
    EXPECT_EQ(compile(whole).info().parameters, compile(watched).info().parameters);
  }

  const SmallBlock block{};
  Random random{6};
  const LinearNumbers up{random, kDim, 400}, down{random, 400, kDim}, square{random, kDim, kDim};
  const Batch batch = Batch::ragged(std::vector<int64_t>{5, 1, 0, 40, 17, 130});
  const std::vector<float> x = random.normals(batch.rows() * kDim);
  const std::vector<int32_t> ids = random.ids(batch.rows(), kRows);
  const std::vector<float> table = random.normals(4 * kRows * kDim);
};

TEST_F(Optimize, LinearTakesWhatFollows) {
  expect_steps(2, [&](Graph& graph, Value in, Value) {
    const Value wide = linear(graph, in, up.weights());
    const Value bent = activation(graph, wide, Activation::gelu_erf);
    const Value narrow = linear(graph, bent, down.weights());
    const Value sum = add(graph, in, narrow);
    return std::vector{wide, bent, narrow, sum, norm(graph, sum)};
  });
  expect_steps(1, [&](Graph& graph, Value in, Value) {
    const Value product = linear(graph, in, square.weights());
    return std::vector{product, norm(graph, product)};
  });
  expect_steps(1, [&](Graph& graph, Value in, Value) {
    const Value product = linear(graph, in, square.weights());
    const Value bent = activation(graph, product, Activation::relu);
    return std::vector{product, bent, norm(graph, bent)};
  });
}

// Nothing can come between the steps of a Linear: what follows in another order stays apart.
TEST_F(Optimize, LinearTakesNothingAfterItsLayerNorm) {
  for (const auto& last : std::vector<std::function<Value(Graph&, Value)>>{
           [&](Graph&graph, Value y) { return norm(graph, y); },
           [&](Graph&graph, Value y) { return activation(graph, y, Activation::tanh); },
           [&](Graph&graph, Value y) { return add(graph, y, Value{0}); }}) {
    expect_steps(2, [&](Graph& graph, Value in, Value) {
      const Value product = linear(graph, in, square.weights());
      const Value normed = norm(graph, product);
      return std::vector{product, normed, last(graph, normed)};
    });
  }
}

// The sum is a residual further on, so it must be in memory as it is.
TEST_F(Optimize, AValueReadTwiceIsNobodysToFuse) {
  expect_steps(3, [&](Graph& graph, Value in, Value) {
    const Value sum = add(graph, linear(graph, in, square.weights()), in);
    const Value normed = norm(graph, sum);
    return std::vector{sum, normed, add(graph, normed, sum)};
  });
}

TEST_F(Optimize, EmbeddingsAreSummedAndNormalizedInOneStep) {
  expect_steps(1, [&](Graph& graph, Value, Value ids) {
    const Value a = words(graph, ids, 0), b = words(graph, ids, 1), c = places(graph, ids, 2);
    const Value first = add(graph, a, b), second = add(graph, first, c);
    return std::vector{a, b, c, first, second, norm(graph, second)};
  });
  // In any order the graph is built and the sum is written.
  expect_steps(1, [&](Graph& graph, Value, Value ids) {
    const Value a = places(graph, ids, 0), b = words(graph, ids, 1), c = words(graph, ids, 2);
    const Value first = add(graph, c, b), second = add(graph, a, first);
    return std::vector{a, b, c, first, second};
  });
  expect_steps(1, [&](Graph& graph, Value, Value ids) {
    const Value a = words(graph, ids, 0);
    return std::vector{a, norm(graph, a)};
  });
  // With a value that no table gives.
  expect_steps(1, [&](Graph& graph, Value in, Value ids) {
    const Value a = words(graph, ids, 0), b = words(graph, ids, 1), first = add(graph, a, b);
    const Value second = add(graph, in, first);
    return std::vector{a, b, first, second, norm(graph, second)};
  });
}

// (a + b) + (c + d) is not a + b + c + d, bit for bit.
TEST_F(Optimize, SumsOfEmbeddingsKeepTheirOrder) {
  expect_steps(2, [&](Graph& graph, Value, Value ids) {
    const Value a = words(graph, ids, 0), b = words(graph, ids, 1);
    const Value c = words(graph, ids, 2), d = places(graph, ids, 3);
    const Value left = add(graph, a, b), right = add(graph, c, d);
    return std::vector{a, b, c, d, left, right, add(graph, left, right)};
  });
  expect_steps(2, [&](Graph& graph, Value in, Value ids) {
    const Value a = words(graph, ids, 0), b = words(graph, ids, 1);
    const Value left = add(graph, a, in);
    return std::vector{a, b, left, add(graph, left, b)};
  });
}

// A table read by place takes its tokens from another value, which is not what it adds.
TEST_F(Optimize, PlacesOfAnEmbeddingAreNotItsSum) {
  expect_steps(2, [&](Graph& graph, Value in, Value ids) {
    const Value a = words(graph, ids, 0), b = places(graph, a, 1);
    return std::vector{a, b, add(graph, b, in)};
  });
}

TEST_F(Optimize, PoolingNormalizes) {
  for (const Pooling kind : {Pooling::mean, Pooling::cls}) {
    expect_steps(1, [&](Graph& graph, Value in, Value) {
      const Value pooled = pool(graph, in, kind);
      return std::vector{pooled, l2_normalize(graph, pooled)};
    });
    expect_steps(2, [&](Graph& graph, Value in, Value) {
      const Value pooled = pool(graph, in, kind), unit = l2_normalize(graph, pooled);
      return std::vector{pooled, unit, l2_normalize(graph, unit)};
    });
    expect_steps(2, [&](Graph& graph, Value in, Value) {
      const Value pooled = pool(graph, in, kind);
      return std::vector{pooled, norm(graph, pooled)};
    });
  }
}

}  // namespace
}  // namespace headway
