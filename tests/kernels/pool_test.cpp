// The pooling kernels against the oracles.
#include "engine/kernels/pool.hpp"

#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

TEST(MeanRows, equals_the_oracle_within_its_arrays) {
  on_each_target([] {
    for (const size_t width : sizes()) {
      for (const size_t rows : {1, 2, 3, 17}) {
        const std::vector<float> x = normal_values(rows * width);
        const std::vector<double> exact = reference::mean_rows(reference::widen(x), rows, width);
        for (const Guard guard : kGuards) {
          Guarded in(x, guard), out(std::vector<float>(width, -1), guard);
          mean_rows(in.data(), rows, width, out.data());
          for (size_t i = 0; i < width; ++i) {
            double size = 0;
            for (size_t row = 0; row < rows; ++row) size += std::abs(x[row * width + i]);
            // Every addition rounds a partial sum, which is at most `size`; so does the division.
            ASSERT_NEAR(out.values()[i], exact[i], size * kUnit) << width << ' ' << rows;
          }
        }
      }
    }
  });
}

TEST(MeanRows, of_no_rows_is_zero) {
  on_each_target([] {
    std::vector<float> y(37, -1);
    mean_rows(nullptr, 0, y.size(), y.data());
    EXPECT_EQ(y, std::vector<float>(37, 0));
  });
}

TEST(MeanRows, of_one_row_is_that_row) {
  on_each_target([] {
    std::vector<float> x = normal_values(70);
    x[0] = 1e30f, x[1] = -1e30f, x[69] = kInfinity, x[68] = 1e-45f;
    std::vector<float> y(x.size());
    mean_rows(x.data(), 1, x.size(), y.data());
    EXPECT_EQ(y, x);
  });
}

TEST(MeanRows, treats_every_column_alike_at_every_alignment) {
  on_each_target([] {
    // All columns hold the same values, so all means have the same bits.
    const size_t rows = 9, width = 85;
    const std::vector<float> column = normal_values(rows);
    std::vector<float> all(rows * width);
    for (size_t i = 0; i < all.size(); ++i) all[i] = column[i / width];
    at_each_alignment(all, [&](const float* x) {
      std::vector<float> y(width);
      mean_rows(x, rows, width, y.data());
      EXPECT_EQ(y, std::vector<float>(width, y[0]));
    });
  });
}

TEST(L2Normalize, equals_the_oracle_within_its_arrays) {
  on_each_target([] {
    for (const size_t width : sizes()) {
      for (const float deviation : {1e-9f, 1.0f, 1e9f}) {
        const std::vector<float> x = normal_values(width, 0, deviation);
        const std::vector<double> exact = reference::l2_normalize(reference::widen(x), 1e-12);
        // Squares and their sum, halved by the root, then root and division.
        const double units = 4 + std::sqrt(static_cast<double>(width)) / 2;
        for (const Guard guard : kGuards) {
          Guarded in(x, guard), out(std::vector<float>(width, -1), guard);
          l2_normalize(in.data(), 1, width, 1e-12f, out.data());
          for (size_t i = 0; i < width; ++i)
            ASSERT_NEAR(out.values()[i], exact[i], units * kUnit * std::abs(exact[i]))
                << width << ' ' << deviation;
          l2_normalize(in.data(), 1, width, 1e-12f, in.data());
          ASSERT_TRUE(same_bits(in.values(), out.values()));
        }
      }
    }
  });
}

TEST(L2Normalize, divides_by_eps_when_the_norm_is_smaller) {
  on_each_target([] {
    const std::vector<float> x = {0, 1e-13f, -1e-20f, 1e-45f};
    std::vector<float> y(x.size());
    l2_normalize(x.data(), 1, x.size(), 1e-12f, y.data());
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], x[i] / 1e-12f);
    const std::vector<float> zeros(40, 0);
    std::vector<float> result(40, -1);
    l2_normalize(zeros.data(), 1, 40, 1e-12f, result.data());
    EXPECT_EQ(result, zeros);
  });
}

TEST(L2Normalize, makes_a_row_with_nan_nan_and_huge_values_zero) {
  on_each_target([] {
    std::vector<float> x = normal_values(3 * 21);
    x[25] = kNaN;
    x[45] = 1e30f;
    l2_normalize(x.data(), 3, 21, 1e-12f, x.data());
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(std::isnan(x[i]), i / 21 == 1) << i;
      if (i / 21 == 2) {
        EXPECT_EQ(x[i], 0) << i;
      }
    }
  });
}

TEST(L2Normalize, has_the_same_bits_at_every_alignment_and_among_other_rows) {
  on_each_target([] {
    for (const size_t width : {1, 7, 16, 17, 63, 64, 65, 384}) {
      const std::vector<float> all = normal_values(4 * width);
      std::vector<float> alone(width);
      l2_normalize(&all[2 * width], 1, width, 1e-12f, alone.data());
      at_each_alignment(all, [&](float* x) {
        l2_normalize(x, 4, width, 1e-12f, x);
        EXPECT_TRUE(same_bits({x + 2 * width, width}, alone)) << width;
      });
    }
  });
}

}  // namespace
}  // namespace headway::test
