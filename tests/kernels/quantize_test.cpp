// Rounding to bf16 and int8 against scalar code.
#include "engine/kernels/quantize.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

float widen(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

std::vector<uint16_t> rounded(std::span<const float> x) {
  std::vector<uint16_t> y(x.size());
  to_bf16(x.data(), x.size(), y.data());
  return y;
}

TEST(ToBf16, takes_the_nearest_and_the_even_of_two) {
  on_each_target([] {
    for (const size_t n : sizes()) {
      const std::vector<float> x = normal_values(n, 0, 100);
      const std::vector<uint16_t> y = rounded(x);
      for (size_t i = 0; i < n; ++i) {
        const double error = std::abs(double{widen(y[i])} - x[i]);
        for (const int step : {-1, 1}) {
          const double other = std::abs(double{widen(static_cast<uint16_t>(y[i] + step))} - x[i]);
          EXPECT_LE(error, other) << x[i];
          EXPECT_FALSE(error == other && y[i] % 2 == 1) << x[i];
        }
      }
    }
    // Halfway between two, whose last bits are 0 and 1, and 1 and 0.
    EXPECT_EQ(rounded(std::vector<float>{1 + 0x1p-8f, 1 + 3 * 0x1p-8f}),
              (std::vector<uint16_t>{0x3f80, 0x3f82}));
  });
}

TEST(ToBf16, keeps_infinities_and_every_nan) {
  on_each_target([] {
    const std::vector<float> x = {kInfinity,
                                  -kInfinity,
                                  kNaN,
                                  std::bit_cast<float>(0x7fffffffu),
                                  std::bit_cast<float>(0x7f800001u),
                                  std::bit_cast<float>(0xffffffffu)};
    const std::vector<uint16_t> y = rounded(x);
    EXPECT_EQ(widen(y[0]), kInfinity);
    EXPECT_EQ(widen(y[1]), -kInfinity);
    for (size_t i = 2; i < x.size(); ++i) EXPECT_TRUE(std::isnan(widen(y[i]))) << i;
  });
}

TEST(ToInt8, is_within_half_a_step_and_uses_the_whole_range) {
  on_each_target([] {
    for (const size_t n : sizes()) {
      if (n == 0) continue;
      const std::vector<float> x = normal_values(n, 0, 3);
      std::vector<int8_t> y(n);
      const float scale = to_int8(x.data(), n, y.data());
      int most = 0;
      for (size_t i = 0; i < n; ++i) {
        EXPECT_LE(std::abs(double{scale} * y[i] - x[i]), scale * (0.5 + 127 * 4 * kUnit)) << x[i];
        most = std::max(most, std::abs(int{y[i]}));
      }
      EXPECT_EQ(most, 127);
    }
  });
}

TEST(ToInt8, of_nothing_much_is_zero) {
  on_each_target([] {
    for (const float value : {0.0f, -0.0f, 1e-40f, -9e-31f}) {
      const std::vector<float> x(21, value);
      std::vector<int8_t> y(21, 5);
      EXPECT_EQ(to_int8(x.data(), x.size(), y.data()), 0);
      EXPECT_EQ(y, std::vector<int8_t>(21, 0));
    }
  });
}

TEST(ToInt8, shows_what_is_not_finite_in_its_scale) {
  on_each_target([] {
    for (const float bad : {kNaN, -kNaN, kInfinity, -kInfinity}) {
      for (size_t at = 0; at < 37; ++at) {
        std::vector<float> x = normal_values(37);
        x[at] = bad;
        std::vector<int8_t> y(37);
        EXPECT_FALSE(std::isfinite(to_int8(x.data(), x.size(), y.data()))) << at;
      }
    }
  });
}

TEST(ToUint8, is_within_half_a_step_and_uses_the_whole_range) {
  on_each_target([] {
    for (const float mean : {0.0f, 2.0f, -100.0f}) {
      for (const size_t n : sizes()) {
        if (n == 0) continue;
        const std::vector<float> x = normal_values(n, mean, 3);
        std::vector<uint8_t> y(n);
        const auto [scale, zero] = to_uint8(x.data(), n, y.data());
        const float low = std::min(0.0f, *std::min_element(x.begin(), x.end()));
        const float high = std::max(0.0f, *std::max_element(x.begin(), x.end()));
        EXPECT_NEAR(scale, (double{high} - low) / 255, 4 * kUnit * scale);
        EXPECT_GE(zero, 0);
        EXPECT_LE(zero, 255);
        for (size_t i = 0; i < n; ++i) {
          // Zero is rounded too: at the ends of the range another half step may be cut off.
          const bool at_end = y[i] == 0 || y[i] == 255;
          EXPECT_LE(std::abs(double{scale} * (y[i] - zero) - x[i]),
                    scale * ((at_end ? 1 : 0.5) + 255 * 4 * kUnit))
              << x[i];
        }
      }
    }
  });
}

TEST(ToUint8, keeps_zero_exactly) {
  on_each_target([] {
    std::vector<float> x = normal_values(53, 1, 3);
    for (size_t i = 0; i < x.size(); i += 3) x[i] = 0;
    std::vector<uint8_t> y(x.size());
    const ByteScale scale = to_uint8(x.data(), x.size(), y.data());
    for (size_t i = 0; i < x.size(); i += 3) EXPECT_EQ(y[i], scale.zero);
  });
}

TEST(ToUint8, of_the_largest_numbers_does_not_overflow) {
  on_each_target([] {
    const float most = std::numeric_limits<float>::max();
    const std::vector<float> x = {most, -most, 0, most / 2};
    std::vector<uint8_t> y(x.size());
    const auto [scale, zero] = to_uint8(x.data(), x.size(), y.data());
    EXPECT_TRUE(std::isfinite(scale));
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(double{scale} * (y[i] - zero), x[i], 1.01 * double{scale});
  });
}

TEST(ToUint8, of_nothing_much_is_zero) {
  on_each_target([] {
    for (const float value : {0.0f, -0.0f, 1e-40f, -9e-31f}) {
      const std::vector<float> x(21, value);
      std::vector<uint8_t> y(21, 5);
      const auto [scale, zero] = to_uint8(x.data(), x.size(), y.data());
      EXPECT_EQ(scale, 0);
      EXPECT_EQ(zero, 0);
      EXPECT_EQ(y, std::vector<uint8_t>(21, 0));
    }
  });
}

TEST(ToUint8, shows_what_is_not_finite_in_its_scale) {
  on_each_target([] {
    for (const float bad : {kNaN, -kNaN, kInfinity, -kInfinity}) {
      for (size_t at = 0; at < 37; ++at) {
        std::vector<float> x = normal_values(37);
        x[at] = bad;
        std::vector<uint8_t> y(37);
        EXPECT_TRUE(std::isnan(to_uint8(x.data(), x.size(), y.data()).scale)) << at;
      }
    }
  });
}

TEST(Quantize, stays_within_its_arrays) {
  on_each_target([] {
    for (size_t n = 1; n < 70; ++n) {
      for (const Guard guard : kGuards) {
        Guarded x(normal_values(n), guard);
        // Results on the same guarded pages, as halves and bytes: the end of the array is the end
        // of the page.
        Guarded room(normal_values(n), guard);
        auto* end = reinterpret_cast<char*>(room.data() + n);
        auto* begin = reinterpret_cast<char*>(room.data());
        const bool behind = guard == Guard::behind;
        to_bf16(x.data(), n, reinterpret_cast<uint16_t*>(behind ? end - 2 * n : begin));
        to_int8(x.data(), n, reinterpret_cast<int8_t*>(behind ? end - n : begin));
        to_uint8(x.data(), n, reinterpret_cast<uint8_t*>(behind ? end - n : begin));
      }
    }
  });
}

}  // namespace
}  // namespace headway::test
