// Linear against its oracle, with what is fused into it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "headway/layers.hpp"
#include "tests/layers/stored_weight.hpp"
#include "tests/reference/functions.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

using reference::widen;

std::vector<double> magnitudes(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

// Any order of summing `in` products and a bias errs by at most (in + 1) 2^-24 of the sum of their
// magnitudes; a wrong row or column is off by about 1.
void expect_linear(const std::vector<float>& y, const std::vector<float>& x, size_t rows,
                   const std::vector<float>& weight, const std::vector<float>& bias) {
  const std::vector<double> exact = reference::linear(widen(x), rows, widen(weight), widen(bias));
  const std::vector<double> size = reference::linear(
      magnitudes(widen(x)), rows, magnitudes(widen(weight)), magnitudes(widen(bias)));
  const double unit = (static_cast<double>(x.size() / rows) + 2) * 0x1p-24;
  ASSERT_EQ(y.size(), exact.size());
  for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], exact[i], unit * size[i]) << i;
}

TEST(Linear, IsTheMatrixProduct) {
  Random random(1);
  // Around tiles of 16 and 64 rows, panels of 192 outputs, and vectors.
  const std::vector<std::array<int64_t, 3>> shapes = {
      {1, 1, 1},    {2, 3, 5},      {16, 8, 8},     {17, 33, 31},    {63, 64, 191},
      {64, 5, 193}, {65, 100, 192}, {129, 48, 400}, {200, 384, 385}, {1, 768, 1537}};
  for (const auto& [rows, in, out] : shapes)
    for (const bool bias : {false, true}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << in << " -> " << out << ", bias " << bias);
      const LinearNumbers numbers(random, in, out, bias);
      const std::vector<float> x = random.normals(rows * in);
      const auto y = run_layer(Batch::dense(1, rows), x, in, [&](Graph& graph, Value value) {
        return linear(graph, value, numbers.weights());
      });
      expect_linear(y, x, static_cast<size_t>(rows), numbers.weight, numbers.bias);
    }
}

TEST(Linear, ReadsEveryStorageOfItsWeights) {
  for (const Storage& storage : storages()) {
    SCOPED_TRACE(storage.name());
    Random random(2);
    const StoredWeight weight(random, storage.dtype, {70, 50}, 0.5f, storage.odd);
    const StoredWeight bias(random, storage.dtype, {70}, 0.5f, storage.odd);
    const std::vector<float> x = random.normals(20 * 50);
    const auto y = run_layer(Batch::dense(2, 10), x, 50, [&](Graph& graph, Value value) {
      return linear(graph, value, {weight.weight(), bias.weight()});
    });
    expect_linear(y, x, 20, weight.values(), bias.values());
  }
}

TEST(Linear, PutsItsPartsSideBySide) {
  Random random(3);
  const std::vector<LinearNumbers> parts = {{random, 40, 100}, {random, 40, 3}, {random, 40, 250}};
  const std::vector<float> x = random.normals(30 * 40);
  std::vector<LinearWeights> weights;
  std::vector<float> weight, bias;
  for (const LinearNumbers& part : parts) {
    weights.push_back(part.weights());
    weight.insert(weight.end(), part.weight.begin(), part.weight.end());
    bias.insert(bias.end(), part.bias.begin(), part.bias.end());
  }
  const auto y = run_layer(Batch::dense(3, 10), x, 40, [&](Graph& graph, Value value) {
    return linear(graph, value, weights);
  });
  expect_linear(y, x, 30, weight, bias);
}

// Half-precision numbers at the edges: denormals, the largest, infinity.
TEST(Linear, ReadsTheEdgesOfHalfPrecision) {
  const std::vector<uint16_t> halves = {0x0001, 0x03ff, 0x8001, 0x0400, 0x7bff, 0xfbff, 0x7c00};
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> expected = {0x1p-24f, 1023 * 0x1p-24f, -0x1p-24f, 0x1p-14f,
                                       65504.0f, -65504.0f,       infinity};
  const std::vector<float> x = {1.0f};
  const auto y = run_layer(Batch::dense(1, 1), x, 1, [&](Graph& graph, Value value) {
    return linear(graph, value, {TensorView(halves.data(), DType::f16, {7, 1}), {}});
  });
  EXPECT_EQ(y, expected);
}

// Only the first can be fused.
TEST(Linear, KeepsTheOrderOfTwoActivations) {
  Random random(5);
  const LinearNumbers numbers(random, 10, 10);
  const std::vector<float> x = random.normals(20 * 10);
  const auto y = run_layer(Batch::dense(1, 20), x, 10, [&](Graph& graph, Value value) {
    const Value bent = activation(graph, linear(graph, value, numbers.weights()), Activation::tanh);
    return activation(graph, bent, Activation::gelu_tanh);
  });
  const auto product = reference::linear(widen(x), 20, widen(numbers.weight), widen(numbers.bias));
  for (size_t i = 0; i < y.size(); ++i)
    ASSERT_NEAR(y[i], reference::gelu_tanh(std::tanh(product[i])), 1e-6) << i;
}

TEST(Linear, FusedWithActivationAndResidualGivesTheSum) {
  Random random(4);
  const LinearNumbers numbers(random, 48, 48);
  const std::vector<float> x = random.normals(33 * 48);
  const auto y = run_layer(Batch::dense(1, 33), x, 48, [&](Graph& graph, Value value) {
    return add(graph, value,
               activation(graph, linear(graph, value, numbers.weights()), Activation::gelu_erf));
  });
  const auto product = reference::linear(widen(x), 33, widen(numbers.weight), widen(numbers.bias));
  for (size_t i = 0; i < y.size(); ++i)
    ASSERT_NEAR(y[i], x[i] + reference::gelu_erf(product[i]), 5e-6) << i;
}

}  // namespace
}  // namespace headway
