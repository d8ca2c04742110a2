// The layer normalization kernel against the oracle.
#include "engine/kernels/layer_norm.hpp"

#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

constexpr float kEps = 1e-12f;

// Error of one value: a few roundings of the value itself, and the moments, each a sum of n random
// terms, off by about sqrt(n) units of the row's deviation.
void expect_layer_norm(std::span<const float> y, std::span<const float> x,
                       std::span<const float> gamma, std::span<const float> beta, float eps) {
  const std::vector<double> exact = reference::layer_norm(
      reference::widen(x), reference::widen(gamma), reference::widen(beta), eps);
  const double units = 8 + std::sqrt(static_cast<double>(x.size()));
  for (size_t i = 0; i < y.size(); ++i) {
    const double shift = beta.empty() ? 0 : beta[i];
    const double size = std::abs(exact[i] - shift) + std::abs(gamma[i]) + std::abs(shift);
    ASSERT_NEAR(y[i], exact[i], units * kUnit * size) << "value " << i << " of " << y.size();
  }
}

TEST(LayerNorm, equals_the_oracle_within_its_arrays) {
  on_each_target([] {
    for (const size_t width : sizes()) {
      if (width == 0) continue;
      const std::vector<float> x = normal_values(width, 0.5f, 2), gamma = normal_values(width, 1),
                               beta = normal_values(width, 0, 1, 2);
      for (const Guard guard : kGuards) {
        Guarded in(x, guard), scale(gamma, guard), shift(beta, guard),
            out(std::vector<float>(width, -1), guard);
        layer_norm(in.data(), 1, width, {scale.data(), shift.data(), kEps}, out.data());
        ASSERT_NO_FATAL_FAILURE(expect_layer_norm(out.values(), x, gamma, beta, kEps));
        ASSERT_TRUE(same_bits(in.values(), x));
        const std::vector<float> separate(out.values().begin(), out.values().end());
        layer_norm(in.data(), 1, width, {scale.data(), nullptr, kEps}, out.data());
        ASSERT_NO_FATAL_FAILURE(expect_layer_norm(out.values(), x, gamma, {}, kEps));
        layer_norm(in.data(), 1, width, {scale.data(), shift.data(), kEps}, in.data());
        ASSERT_TRUE(same_bits(in.values(), separate)) << "in place, width " << width;
      }
    }
  });
}

TEST(LayerNorm, far_from_zero_loses_nothing) {
  on_each_target([] {
    for (const size_t width : {33, 384, 1000}) {
      for (const float mean : {1e3f, -1e5f, 1e6f}) {
        const std::vector<float> x = normal_values(width, mean, 3), gamma(width, 1);
        std::vector<float> y(width);
        layer_norm(x.data(), 1, width, {gamma.data(), nullptr, kEps}, y.data());
        SCOPED_TRACE(testing::Message() << "mean " << mean);
        expect_layer_norm(y, x, gamma, {}, kEps);
      }
    }
  });
}

TEST(LayerNorm, of_small_and_large_values) {
  on_each_target([] {
    for (const float deviation : {1e-15f, 1e-6f, 1e6f, 1e15f}) {
      const std::vector<float> x = normal_values(384, 0, deviation), gamma(384, 1);
      std::vector<float> y(384);
      layer_norm(x.data(), 1, 384, {gamma.data(), nullptr, kEps}, y.data());
      SCOPED_TRACE(testing::Message() << "deviation " << deviation);
      expect_layer_norm(y, x, gamma, {}, kEps);
    }
  });
}

TEST(LayerNorm, of_equal_values_is_beta) {
  on_each_target([] {
    for (const size_t width : {1, 3, 16, 31, 384, 1000}) {
      for (const float value : {0.0f, 0.1f, -7.7f, 1e-40f, 12345.678f, 1e30f}) {
        const std::vector<float> x(width, value), gamma(width, 3), beta = normal_values(width);
        std::vector<float> y(width);
        layer_norm(x.data(), 1, width, {gamma.data(), beta.data(), kEps}, y.data());
        ASSERT_TRUE(same_bits(y, beta)) << value << ' ' << width;
      }
    }
  });
}

TEST(LayerNorm, of_deviations_beyond_f32_squares_is_beta) {
  on_each_target([] {
    const std::vector<float> x = {1e30f, -1e30f, 5, 1e30f, -1e30f}, gamma(5, 1), beta(5, 0.5f);
    std::vector<float> y(5);
    layer_norm(x.data(), 1, 5, {gamma.data(), beta.data(), kEps}, y.data());
    EXPECT_EQ(y, beta);
  });
}

TEST(LayerNorm, makes_a_row_with_nan_or_infinity_nan_and_no_other) {
  on_each_target([] {
    for (const float bad : {kNaN, kInfinity, -kInfinity}) {
      const size_t width = 37;
      std::vector<float> x = normal_values(3 * width);
      x[width + 36] = bad;
      const std::vector<float> gamma(width, 1);
      layer_norm(x.data(), 3, width, {gamma.data(), nullptr, kEps}, x.data());
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(std::isnan(x[i]), i / width == 1) << bad << " at " << i;
    }
  });
}

TEST(LayerNorm, has_the_same_bits_at_every_alignment_and_among_other_rows) {
  on_each_target([] {
    for (const size_t width : {1, 7, 16, 17, 63, 64, 65, 384}) {
      const size_t rows = 4;
      const std::vector<float> all = normal_values(rows * width), gamma = normal_values(width),
                               beta = normal_values(width, 0, 1, 2);
      std::vector<float> alone(width);
      layer_norm(&all[2 * width], 1, width, {gamma.data(), beta.data(), kEps}, alone.data());
      at_each_alignment(all, [&](float* x) {
        layer_norm(x, rows, width, {gamma.data(), beta.data(), kEps}, x);
        EXPECT_TRUE(same_bits({x + 2 * width, width}, alone)) << width;
      });
    }
  });
}

}  // namespace
}  // namespace headway::test
