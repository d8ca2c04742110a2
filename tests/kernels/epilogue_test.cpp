// The pass after a product, against its steps one after the other; activation_test.cpp has the
// activations.
#include "engine/kernels/epilogue.hpp"

#include "engine/kernels/add.hpp"
#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

constexpr Activation kActivations[] = {Activation::none,      Activation::gelu_erf,
                                       Activation::gelu_tanh, Activation::relu,
                                       Activation::tanh,      Activation::silu};

struct Case {
  size_t width;
  Activation activation;
  bool bias, residual;
};

template <typename Check>
void for_each_case(const Check& check) {
  for (const size_t width : {1, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 100, 192}) {
    for (const Activation activation : kActivations) {
      for (const bool bias : {false, true}) {
        for (const bool residual : {false, true}) {
          SCOPED_TRACE(testing::Message() << "width " << width << " "
                                          << static_cast<int>(activation) << bias << residual);
          check(Case{width, activation, bias, residual});
        }
      }
    }
  }
}

std::vector<float> one_after_the_other(const Case& c, std::vector<float> row, const float* bias,
                                       const float* residual) {
  const auto plus = [&](const float* other) {
    const float* const terms[] = {row.data(), other};
    add(terms, c.width, row.data());
  };
  if (c.bias) plus(bias);
  const std::vector<float> before = row;
  epilogue({.product = before.data(),
            .y = row.data(),
            .rows = 1,
            .width = c.width,
            .activation = c.activation});
  if (c.residual) plus(residual);
  return row;
}

TEST(Epilogue, has_the_bits_of_its_steps) {
  on_each_target([] {
    for_each_case([](const Case& c) {
      constexpr size_t kRows = 3, kGap = 5;
      const size_t stride = c.width + kGap;
      const std::vector<float> product = normal_values(kRows * c.width, 0, 3),
                               bias = normal_values(c.width);
      const std::vector<float> residual = normal_values(kRows * stride, 0, 1, 7);
      // In place of the residual: the gaps between the rows must stay as they are.
      std::vector<float> y = residual;
      epilogue({.product = product.data(),
                .bias = c.bias ? bias.data() : nullptr,
                .residual = c.residual ? y.data() : nullptr,
                .y = y.data(),
                .rows = kRows,
                .width = c.width,
                .product_stride = c.width,
                .stride = stride,
                .activation = c.activation});
      for (size_t row = 0; row < kRows; ++row) {
        const std::vector<float> in(product.begin() + row * c.width,
                                    product.begin() + (row + 1) * c.width);
        const auto expected =
            one_after_the_other(c, in, bias.data(), residual.data() + row * stride);
        EXPECT_TRUE(same_bits(expected, std::span(y).subspan(row * stride, c.width)))
            << "row " << row;
        EXPECT_TRUE(same_bits(std::span(residual).subspan(row * stride + c.width, kGap),
                              std::span(y).subspan(row * stride + c.width, kGap)));
      }
    });
  });
}

TEST(Epilogue, scales_integer_sums_back_first) {
  on_each_target([] {
    for (const size_t width : {1, 3, 8, 16, 17, 50}) {
      constexpr size_t kRows = 2;
      std::vector<int32_t> sums(kRows * width);
      for (size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<int32_t>(i * 7919) - 60000;
      const std::vector<float> rows = normal_values(kRows), columns = normal_values(width),
                               bias = normal_values(width, 1);
      const std::vector<int32_t> zeros = {0, 201};
      std::vector<int32_t> column_sums(width);
      for (size_t i = 0; i < width; ++i) column_sums[i] = 3001 - static_cast<int32_t>(i) * 577;
      std::vector<float> y(sums.size(), kNaN);
      epilogue({.product = sums.data(),
                .bytes = {.row_scales = rows.data(),
                          .row_zeros = zeros.data(),
                          .column_scales = columns.data(),
                          .column_sums = column_sums.data()},
                .bias = bias.data(),
                .y = y.data(),
                .rows = kRows,
                .width = width,
                .product_stride = width,
                .stride = width});
      for (size_t i = 0; i < y.size(); ++i) {
        const int32_t sum = sums[i] - zeros[i / width] * column_sums[i % width];
        const float scaled = static_cast<float>(sum) * rows[i / width] * columns[i % width];
        EXPECT_EQ(y[i], scaled + bias[i % width]) << i;
      }
    }
  });
}

TEST(Epilogue, stays_within_its_arrays) {
  on_each_target([] {
    for_each_case([](const Case& c) {
      for (const Guard guard : kGuards) {
        const std::vector<float> values = normal_values(2 * c.width), one = normal_values(c.width);
        Guarded product(values, guard), bias(one, guard), residual(values, guard), y(values, guard);
        epilogue({.product = product.data(),
                  .bias = c.bias ? bias.data() : nullptr,
                  .residual = c.residual ? residual.data() : nullptr,
                  .y = y.data(),
                  .rows = 2,
                  .width = c.width,
                  .product_stride = c.width,
                  .stride = c.width,
                  .activation = c.activation});
      }
    });
  });
}

}  // namespace
}  // namespace headway::test
