// Oracles: elementwise and row functions in scalar double precision.
#include "tests/reference/functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace headway::reference {

std::vector<double> widen(std::span<const float> x) {
  return {x.begin(), x.end()};
}

std::vector<double> softmax(std::span<const double> x, double scale) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double maximum = -kInfinity;
  for (const double value : x) maximum = std::max(maximum, scale * value);
  std::vector<double> y(x.size());
  if (maximum == -kInfinity) return y;
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += y[i] = std::exp(scale * x[i] - maximum);
  for (double& value : y) value /= sum;
  return y;
}

std::vector<double> layer_norm(std::span<const double> x, std::span<const double> gamma,
                               std::span<const double> beta, double eps) {
  const double count = static_cast<double>(x.size());
  double mean = 0;
  for (const double value : x) mean += value / count;
  double variance = 0;
  for (const double value : x) variance += (value - mean) * (value - mean) / count;
  std::vector<double> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    y[i] = (x[i] - mean) / std::sqrt(variance + eps) * gamma[i];
    if (!beta.empty()) y[i] += beta[i];
  }
  return y;
}

double gelu_erf(double x) {
  return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

double gelu_tanh(double x) {
  // (1 + tanh(u)) / 2 = 1 / (1 + exp(-2u)), which keeps the digits of negative x.
  const double u = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * u));
}

double silu(double x) {
  return x / (1 + std::exp(-x));
}

std::vector<double> mean_rows(std::span<const double> x, size_t rows, size_t width) {
  std::vector<double> y(width);
  for (size_t row = 0; row < rows; ++row)
    for (size_t i = 0; i < width; ++i) y[i] += x[row * width + i] / static_cast<double>(rows);
  return y;
}

std::vector<double> l2_normalize(std::span<const double> x, double eps) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  std::vector<double> y(x.begin(), x.end());
  for (double& value : y) value /= std::max(std::sqrt(squares), eps);
  return y;
}

std::vector<double> linear(std::span<const double> x, size_t rows, std::span<const double> weight,
                           std::span<const double> bias) {
  if (rows == 0) return {};
  const size_t in = x.size() / rows;
  const size_t out = weight.size() / in;
  if (in * rows != x.size() || out * in != weight.size() || (!bias.empty() && bias.size() != out))
    throw std::invalid_argument("reference::linear: sizes do not fit");
  std::vector<double> y(rows * out);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t o = 0; o < out; ++o) {
      double sum = bias.empty() ? 0 : bias[o];
      for (size_t i = 0; i < in; ++i) sum += x[row * in + i] * weight[o * in + i];
      y[row * out + o] = sum;
    }
  }
  return y;
}

}  // namespace headway::reference
