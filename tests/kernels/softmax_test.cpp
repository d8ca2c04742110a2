// The softmax kernels against the oracle.
#include "engine/kernels/softmax.hpp"

#include <algorithm>

#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

std::vector<float> run(std::vector<float> x, float scale) {
  softmax(x.data(), x.size(), scale);
  return x;
}

// Relative error of one weight exp(t): t is rounded twice, in proportion to itself; exp is within
// 1 ulp (2 units), 1/sum and the product add a few; a sum of n random terms is off by about sqrt(n)
// units.
double tolerance(double t, size_t n) {
  return (8 + 2 * std::abs(t) + std::sqrt(static_cast<double>(n))) * kUnit;
}

void expect_softmax(std::span<const float> y, std::span<const float> x, float scale) {
  const std::vector<double> exact = reference::softmax(reference::widen(x), scale);
  const float largest = x.empty() ? 0 : *std::max_element(x.begin(), x.end());
  ASSERT_EQ(y.size(), exact.size());
  double sum = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    const double t = std::isinf(x[i]) ? 0 : scale * (double{x[i]} - largest);
    ASSERT_NEAR(y[i], exact[i], tolerance(t, x.size()) * exact[i] + 1e-30) << "value " << i;
    sum += y[i];
  }
  if (!y.empty()) {
    ASSERT_NEAR(sum, 1, (4 + 2 * std::sqrt(static_cast<double>(y.size()))) * kUnit);
  }
}

TEST(Softmax, equals_the_oracle_within_its_array) {
  on_each_target([] {
    for (const size_t n : sizes()) {
      for (const float scale : {1.0f, 0.125f, 0.35355339f}) {
        const std::vector<float> x = normal_values(n, 100, 5);
        for (const Guard guard : kGuards) {
          Guarded row(x, guard);
          softmax(row.data(), n, scale);
          SCOPED_TRACE(testing::Message() << "n " << n << " scale " << scale);
          ASSERT_NO_FATAL_FAILURE(expect_softmax(row.values(), x, scale));
        }
      }
    }
  });
}

TEST(Softmax, of_extreme_values) {
  const float least = std::numeric_limits<float>::denorm_min();
  const std::vector<std::vector<float>> rows = {{1e30f, -1e30f, 0, 1e30f, 5},
                                                {-1e30f, -1e30f, -1e30f},
                                                std::vector<float>(33, -1e30f),
                                                std::vector<float>(100, 3.25f),
                                                {least, -least, 2 * least, 0},
                                                {-kInfinity, 1, -kInfinity, 2, -kInfinity},
                                                {0, -87, -88, -100, -103, -110, -1000},
                                                {3e38f, 3e38f, -3e38f},
                                                {-5}};
  on_each_target([&] {
    for (const std::vector<float>& x : rows)
      for (const float scale : {1.0f, 0.35355339f, 1e-3f}) expect_softmax(run(x, scale), x, scale);
  });
}

TEST(Softmax, of_equal_values_is_uniform_to_the_bit) {
  on_each_target([] {
    for (const size_t n : sizes())
      for (const float value : run(std::vector<float>(n, -2.7f), 1))
        ASSERT_EQ(value, 1.0f / static_cast<float>(n));
  });
}

TEST(Softmax, makes_no_denormals) {
  on_each_target([] {
    std::vector<float> x(5000, 0);
    for (size_t i = 0; i < 2000; ++i) x[i] = -60 - 0.025f * static_cast<float>(i);
    for (const float value : run(x, 1)) ASSERT_TRUE(value == 0 || std::isnormal(value)) << value;
  });
}

TEST(Softmax, of_a_row_without_visible_values_is_zero) {
  on_each_target([] {
    for (const size_t n : sizes())
      for (const float value : run(std::vector<float>(n, -kInfinity), 0.125f)) ASSERT_EQ(value, 0);
  });
}

TEST(Softmax, becomes_nan_for_nan_and_infinity) {
  on_each_target([] {
    for (const size_t n : {1, 2, 5, 16, 17, 40, 129}) {
      for (const float bad : {kNaN, kInfinity}) {
        for (const float rest : {0.5f, -kInfinity}) {
          for (const size_t at : {size_t{0}, n / 2, n - 1}) {
            std::vector<float> x(n, rest);
            x[at] = bad;
            for (const float value : run(x, 1))
              ASSERT_TRUE(std::isnan(value)) << bad << " among " << rest << ", n " << n;
          }
        }
      }
    }
  });
}

TEST(Softmax, has_the_same_bits_at_every_alignment_and_among_other_rows) {
  on_each_target([] {
    for (const size_t n : {1, 7, 15, 16, 17, 33, 64, 100, 385}) {
      const size_t rows = 5, stride = n + 3;
      const std::vector<float> all = normal_values(rows * stride, 0, 4);
      const std::vector<float> alone =
          run(std::vector<float>(all.begin() + static_cast<ptrdiff_t>(2 * stride),
                                 all.begin() + static_cast<ptrdiff_t>(2 * stride + n)),
              0.5f);
      at_each_alignment(all, [&](float* x) {
        softmax_rows(x, rows, n, stride, 0.5f);
        EXPECT_TRUE(same_bits({x + 2 * stride, n}, alone)) << n;
        // What lies between the rows stays.
        for (size_t row = 0; row < rows; ++row)
          EXPECT_TRUE(same_bits({x + row * stride + n, 3}, {&all[row * stride + n], 3})) << n;
      });
    }
  });
}

}  // namespace
}  // namespace headway::test
