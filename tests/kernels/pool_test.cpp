// The pooling kernels against the oracles.
#include "engine/kernels/pool.hpp"

#include <algorithm>
#include <functional>

#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

// A reduction of the rows, and the same in double precision over one column.
struct Reduction {
  const char* name;
  std::function<void(const float* x, size_t rows, size_t width, float* y)> run;
  std::function<double(const std::vector<double>& column)> exact;
};

const std::vector<Reduction>& reductions() {
  static const std::vector<Reduction> all = {
      {"sum",
       [](const float* x, size_t rows, size_t width, float* y) { sum_rows(x, rows, width, 7, y); },
       [](const std::vector<double>& column) {
         double sum = 0;
         for (const double value : column) sum += value;
         return sum / 7;
       }},
      {"weighted mean",
       [](const float* x, size_t rows, size_t width, float* y) {
         weighted_mean_rows(x, rows, width, 3, y);
       },
       [](const std::vector<double>& column) {
         double sum = 0, weights = 0;
         for (size_t i = 0; i < column.size(); ++i) {
           sum += static_cast<double>(3 + i) * column[i];
           weights += static_cast<double>(3 + i);
         }
         return weights == 0 ? 0 : sum / weights;
       }},
      {"max", [](auto... args) { max_rows(args...); },
       [](const std::vector<double>& column) {
         return column.empty() ? 0 : *std::max_element(column.begin(), column.end());
       }}};
  return all;
}

TEST(ReduceRows, equals_the_oracle_within_its_arrays) {
  for (const Reduction& reduction : reductions()) {
    SCOPED_TRACE(reduction.name);
    on_each_target([&] {
      for (const size_t width : sizes()) {
        for (const size_t rows : {1, 2, 3, 17}) {
          const std::vector<float> x = normal_values(rows * width);
          for (const Guard guard : kGuards) {
            Guarded in(x, guard), out(std::vector<float>(width, -1), guard);
            reduction.run(in.data(), rows, width, out.data());
            for (size_t i = 0; i < width; ++i) {
              std::vector<double> column;
              double size = 0;
              for (size_t row = 0; row < rows; ++row) {
                column.push_back(x[row * width + i]);
                size += std::abs(column.back());
              }
              // Every addition rounds a partial sum, which is at most `size`; so do products and
              // the division.
              ASSERT_NEAR(out.values()[i], reduction.exact(column), 2 * size * kUnit)
                  << width << ' ' << rows;
            }
          }
        }
      }
    });
  }
}

TEST(ReduceRows, of_no_rows_is_zero) {
  for (const Reduction& reduction : reductions()) {
    on_each_target([&] {
      std::vector<float> y(37, -1);
      reduction.run(nullptr, 0, y.size(), y.data());
      EXPECT_EQ(y, std::vector<float>(37, 0)) << reduction.name;
    });
  }
}

TEST(ReduceRows, of_one_row_is_that_row) {
  on_each_target([] {
    std::vector<float> x = normal_values(70);
    x[0] = 1e30f, x[1] = -1e30f, x[69] = kInfinity, x[67] = -kInfinity, x[68] = 1e-45f;
    std::vector<float> y(x.size());
    sum_rows(x.data(), 1, x.size(), 1, y.data());
    EXPECT_EQ(y, x);
    max_rows(x.data(), 1, x.size(), y.data());
    EXPECT_EQ(y, x);
  });
}

TEST(ReduceRows, keeps_nan_wherever_it_stands) {
  for (const Reduction& reduction : reductions()) {
    on_each_target([&] {
      constexpr size_t kRows = 3, kWidth = 77;
      for (size_t row = 0; row < kRows; ++row) {
        std::vector<float> x(kRows * kWidth, 1.0f), y(kWidth);
        for (size_t i = 0; i < kWidth; ++i) x[row * kWidth + i] = std::nanf("");
        reduction.run(x.data(), kRows, kWidth, y.data());
        for (const float value : y) ASSERT_TRUE(std::isnan(value)) << reduction.name;
      }
    });
  }
}

TEST(ReduceRows, treats_every_column_alike_at_every_alignment) {
  for (const Reduction& reduction : reductions()) {
    on_each_target([&] {
      // All columns hold the same values, so all results have the same bits.
      const size_t rows = 9, width = 85;
      const std::vector<float> column = normal_values(rows);
      std::vector<float> all(rows * width);
      for (size_t i = 0; i < all.size(); ++i) all[i] = column[i / width];
      at_each_alignment(all, [&](const float* x) {
        std::vector<float> y(width);
        reduction.run(x, rows, width, y.data());
        EXPECT_EQ(y, std::vector<float>(width, y[0])) << reduction.name;
      });
    });
  }
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
