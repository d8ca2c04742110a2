// Layers that work row by row or element by element, each against its oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "headway/layers.hpp"
#include "tests/layers/stored_weight.hpp"
#include "tests/reference/functions.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

using reference::widen;

constexpr int64_t kRows = 70;  // more than two blocks of rows

void expect_near(const std::vector<float>& y, const std::vector<double>& expected, double error) {
  ASSERT_EQ(y.size(), expected.size());
  for (size_t i = 0; i < y.size(); ++i)
    ASSERT_NEAR(y[i], expected[i], error * std::max(1.0, std::abs(expected[i]))) << i;
}

// The oracle of one row, over all rows.
std::vector<double> by_row(const std::vector<float>& x, int64_t width,
                           const std::function<std::vector<double>(std::span<const double>)>& f) {
  const std::vector<double> wide = widen(x);
  std::vector<double> result;
  for (size_t begin = 0; begin < wide.size(); begin += static_cast<size_t>(width)) {
    const auto row = f(std::span(wide).subspan(begin, static_cast<size_t>(width)));
    result.insert(result.end(), row.begin(), row.end());
  }
  return result;
}

TEST(LayerNorm, NormalizesEachRow) {
  for (const Storage& storage : storages())
    for (const bool shift : {false, true}) {
      SCOPED_TRACE(storage.name() + (shift ? " with beta" : ""));
      Random random(5);
      constexpr int64_t kWidth = 37;
      const StoredWeight gamma(random, storage.dtype, {kWidth}, 2.0f, storage.odd);
      const StoredWeight beta(random, storage.dtype, {kWidth}, 2.0f, storage.odd);
      const std::vector<float> x = random.normals(kRows * kWidth);
      const auto y = run_layer(Batch::dense(7, 10), x, kWidth, [&](Graph& graph, Value value) {
        return layer_norm(graph, value, gamma.weight(), shift ? beta.weight() : Weight(), 1e-3f);
      });
      const auto gamma_values = widen(gamma.values());
      const auto beta_values = shift ? widen(beta.values()) : std::vector<double>();
      const auto expected = by_row(x, kWidth, [&](std::span<const double> row) {
        return reference::layer_norm(row, gamma_values, beta_values, double{1e-3f});
      });
      expect_near(y, expected, 2e-6);
    }
}

TEST(Activation, IsEachOfItsFunctions) {
  struct Case {
    Activation kind;
    const char* name;
    std::function<double(double)> function;
  };
  const std::vector<Case> cases = {
      {Activation::gelu_erf, "gelu_erf", reference::gelu_erf},
      {Activation::gelu_tanh, "gelu_tanh", reference::gelu_tanh},
      {Activation::relu, "relu", [](double x) { return std::max(x, 0.0); }},
      {Activation::tanh, "tanh", [](double x) { return std::tanh(x); }},
      {Activation::silu, "silu", reference::silu},
      {Activation::none, "none", [](double x) { return x; }}};
  Random random(6);
  const std::vector<float> x = random.uniforms(kRows * 9, -6, 6);
  for (const auto& [kind, name, function] : cases) {
    SCOPED_TRACE(name);
    EXPECT_STREQ(to_string(kind), name);
    // Alone, and with a bias-free identity Linear before it that it is fused with.
    std::vector<float> identity(9 * 9);
    for (size_t i = 0; i < 9; ++i) identity[i * 9 + i] = 1;
    std::vector<double> expected;
    for (const float value : x) expected.push_back(function(value));
    const auto alone = run_layer(
        Batch::dense(1, kRows), x, 9,
        [&, kind = kind](Graph& graph, Value value) { return activation(graph, value, kind); });
    expect_near(alone, expected, 3e-7);
    const auto fused =
        run_layer(Batch::dense(1, kRows), x, 9, [&, kind = kind](Graph& graph, Value value) {
          const Value same = linear(graph, value, {TensorView(identity.data(), {9, 9}), {}});
          return activation(graph, same, kind);
        });
    EXPECT_TRUE(same_bits(fused, alone));
  }
}

TEST(Gate, IsTheActivatedHalfTimesTheOther) {
  constexpr int64_t kWidth = 11;
  Random random(10);
  const std::vector<float> x = random.uniforms(kRows * 2 * kWidth, -6, 6);
  const auto y = run_layer(Batch::dense(7, 10), x, 2 * kWidth, [&](Graph& graph, Value value) {
    return gate(graph, value, Activation::silu);
  });
  const auto expected = by_row(x, 2 * kWidth, [](std::span<const double> row) {
    std::vector<double> gated;
    for (size_t i = 0; i < kWidth; ++i) gated.push_back(reference::silu(row[i]) * row[kWidth + i]);
    return gated;
  });
  expect_near(y, expected, 3e-7);
}

TEST(Add, IsTheSum) {
  Random random(7);
  const std::vector<float> x = random.normals(kRows * 11);
  const auto y = run_layer(Batch::dense(1, kRows), x, 11, [&](Graph& graph, Value value) {
    return add(graph, value, activation(graph, value, Activation::relu));
  });
  for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], x[i] + std::max(x[i], 0.0f)) << i;
}

// One sequence's column, its first `skipped` tokens left out, as sentence-transformers pools it.
double pooled(Pooling kind, const std::vector<double>& column, size_t skipped) {
  if (kind == Pooling::cls)
    return column.empty() ? 0 : column[skipped < column.size() ? skipped : 0];
  if (skipped == column.size()) return 0;
  double sum = 0, weighted = 0, weights = 0, most = column[skipped];
  for (size_t i = skipped; i < column.size(); ++i) {
    const auto place = static_cast<double>(i + 1);
    sum += column[i];
    weighted += place * column[i];
    weights += place;
    most = std::max(most, column[i]);
  }
  const auto count = static_cast<double>(column.size() - skipped);
  switch (kind) {
    case Pooling::mean:
      return sum / count;
    case Pooling::mean_sqrt_len:
      return sum / std::sqrt(count);
    case Pooling::weighted_mean:
      return weighted / weights;
    case Pooling::max:
      return most;
    default:
      return column.back();
  }
}

TEST(Pool, MakesOneRowOfTheTokensThatCount) {
  Random random(8);
  constexpr size_t kWidth = 21;
  const std::vector<int64_t> lengths = {3, 0, 1, 40, 0, 5};
  const std::vector<size_t> skipped = {1, 0, 1, 7, 0, 0};  // where tokens are left out
  const std::vector<Pooling> kinds = {
      Pooling::last_token,    Pooling::mean,          Pooling::cls, Pooling::max,
      Pooling::weighted_mean, Pooling::mean_sqrt_len, Pooling::mean};
  const Batch batch = Batch::ragged(lengths);
  const std::vector<float> x = random.normals(static_cast<size_t>(batch.rows()) * kWidth);
  std::vector<int32_t> marks;
  for (size_t i = 0; i < lengths.size(); ++i)
    for (size_t token = 0; token < static_cast<size_t>(lengths[i]); ++token)
      marks.push_back(token < skipped[i] || token > 20 ? 3 : 0);  // later marks mean nothing
  for (const bool skip : {false, true}) {
    SCOPED_TRACE(skip);
    Graph graph;
    const Value in = graph.input("x", DType::f32, kWidth);
    PoolOptions options{.kinds = kinds};
    if (skip) options.skip = graph.input("skip", DType::i32, 1, in);
    graph.output("y", pool(graph, in, options));
    std::vector<Input> inputs = {{"x", batch, {x.data(), {batch.rows(), kWidth}}}};
    if (skip) inputs.push_back({"skip", batch, {marks.data(), {batch.rows(), 1}}});
    std::vector<float> y(lengths.size() * kinds.size() * kWidth);
    const Output output{"y", {y.data(), {static_cast<int64_t>(y.size())}}};
    compile(graph, {.threads = 2}).run(inputs, std::span(&output, 1));

    std::vector<double> expected;
    for (size_t i = 0; i < lengths.size(); ++i)
      for (const Pooling kind : kinds)
        for (size_t column = 0; column < kWidth; ++column) {
          std::vector<double> values;
          for (int64_t row = batch.offsets()[i]; row < batch.offsets()[i + 1]; ++row)
            values.push_back(x[static_cast<size_t>(row) * kWidth + column]);
          expected.push_back(pooled(kind, values, skip ? skipped[i] : 0));
        }
    expect_near(y, expected, 2e-6);
  }
}

TEST(L2Normalize, GivesRowsOfLengthOne) {
  Random random(9);
  std::vector<float> x = random.normals(kRows * 13);
  std::fill_n(x.begin() + 13, 13, 0.0f);  // a row of zeros stays one
  const auto y = run_layer(Batch::dense(1, kRows), x, 13,
                           [&](Graph& graph, Value value) { return l2_normalize(graph, value); });
  const auto expected = by_row(
      x, 13, [](std::span<const double> row) { return reference::l2_normalize(row, 1e-12); });
  expect_near(y, expected, 5e-7);
}

}  // namespace
}  // namespace headway
