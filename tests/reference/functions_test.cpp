// The oracles against values known from elsewhere: closed forms and PyTorch 2.15 in float64.
#include "tests/reference/functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headway::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Softmax, of_logarithms_gives_their_arguments_shares) {
  const std::vector<double> x = {std::log(1.0), std::log(2.0), std::log(5.0), -kInfinity};
  const std::vector<double> y = softmax(x, 1);
  EXPECT_NEAR(y[0], 0.125, 1e-15);
  EXPECT_NEAR(y[1], 0.25, 1e-15);
  EXPECT_NEAR(y[2], 0.625, 1e-15);
  EXPECT_EQ(y[3], 0);
  EXPECT_NEAR(softmax(x, 2)[1], 4.0 / 30, 1e-15);
}

TEST(Softmax, of_nothing_visible_is_zero) {
  EXPECT_EQ(softmax(std::vector<double>(3, -kInfinity), 1), std::vector<double>(3, 0.0));
  EXPECT_TRUE(softmax({}, 1).empty());
}

TEST(LayerNorm, of_two_values_is_one_apart_from_zero) {
  const std::vector<double> x = {3, 7}, gamma = {2, 10}, beta = {0.5, 0.25};
  // mean 5, population variance 4, eps 12: (x - 5) / 4.
  EXPECT_EQ(layer_norm(x, gamma, beta, 12), (std::vector<double>{-0.5, 5.25}));
  EXPECT_EQ(layer_norm(x, gamma, {}, 12), (std::vector<double>{-1, 5}));
}

TEST(Gelu, equals_pytorch) {
  // torch.nn.functional.gelu(x, approximate=...) in float64.
  EXPECT_NEAR(gelu_erf(1), 0.841344746068543, 1e-15);
  EXPECT_NEAR(gelu_erf(-0.5), -0.15426876936299344, 1e-15);
  EXPECT_NEAR(gelu_tanh(1), 0.8411919906082768, 1e-15);
  EXPECT_NEAR(gelu_tanh(-0.5), -0.15428599017485606, 1e-15);
}

TEST(Silu, equals_pytorch) {
  EXPECT_NEAR(silu(1), 0.7310585786300049, 1e-15);
  EXPECT_NEAR(silu(-0.5), -0.1887703343990727, 1e-15);
}

TEST(MeanRows, averages_columns) {
  const std::vector<double> x = {1, 2, 3, 5, 6, 7};
  EXPECT_EQ(mean_rows(x, 2, 3), (std::vector<double>{3, 4, 5}));
  EXPECT_EQ(mean_rows({}, 0, 2), (std::vector<double>{0, 0}));
}

TEST(L2Normalize, divides_by_the_norm_or_eps) {
  EXPECT_EQ(l2_normalize(std::vector<double>{3, 4}, 1e-12), (std::vector<double>{0.6, 0.8}));
  EXPECT_EQ(l2_normalize(std::vector<double>{3, 4}, 10), (std::vector<double>{0.3, 0.4}));
}

TEST(Linear, multiplies_with_the_transposed_weight) {
  const std::vector<double> x = {1, 2, 3, 4}, weight = {1, 0, 0, 1, 1, 1}, bias = {10, 20, 30};
  EXPECT_EQ(linear(x, 2, weight, bias), (std::vector<double>{11, 22, 33, 13, 24, 37}));
  EXPECT_EQ(linear(x, 2, weight, {}), (std::vector<double>{1, 2, 3, 3, 4, 7}));
  EXPECT_THROW(linear(x, 3, weight, bias), std::invalid_argument);
}

}  // namespace
}  // namespace headway::reference
