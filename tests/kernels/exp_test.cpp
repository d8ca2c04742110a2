// exp and expm1 of the kernels against double precision, over the whole range they promise.
#include <algorithm>

#include "engine/kernels/exp_range.hpp"
#include "tests/kernels/exp_probe.hpp"
#include "tests/kernels/kernel_test.hpp"
#include "tests/kernels/sweep.hpp"

namespace headway::test {
namespace {

double worst_error(const std::vector<float>& x, const std::vector<float>& y,
                   double (*function)(double)) {
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = ulp_error(y[i], function(x[i]));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

double exact_exp(double x) {
  return std::exp(x);
}
double exact_expm1(double x) {
  return std::expm1(x);
}

TEST(Exp, is_within_1_ulp) {
  on_each_target([] {
    for (const float limit : {kExpLowest, kExpHighest}) {
      const std::vector<float> x = sweep(std::abs(limit), limit);
      std::vector<float> y(x.size());
      probe_exp(x.data(), x.size(), y.data());
      EXPECT_LE(worst_error(x, y, exact_exp), 1.0) << "up to " << limit;
    }
  });
}

TEST(Exp, of_zero_is_one_and_underflows_to_zero) {
  on_each_target([] {
    const float below = std::nextafter(kExpLowest, -kInfinity);
    const std::vector<float> x = {
        0,         -0.0f, 1e-45f, -1e-45f, kExpLowest,
        below,     -88,   -1e4f,  -1e30f,  -std::numeric_limits<float>::max(),
        -kInfinity};
    std::vector<float> y(x.size());
    probe_exp(x.data(), x.size(), y.data());
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(y[i], 1) << x[i];
    EXPECT_GT(y[4], 3.9e-31f);
    for (size_t i = 5; i < x.size(); ++i) EXPECT_EQ(y[i], 0) << x[i];
  });
}

TEST(Exp, keeps_nan_whatever_its_bits) {
  on_each_target([] {
    for (const uint32_t bits : {0x7fc00000u, 0x7fc00001u, 0x7fffffffu, 0xffc001ffu}) {
      const std::vector<float> x(17, std::bit_cast<float>(bits));
      std::vector<float> y(x.size());
      probe_exp(x.data(), x.size(), y.data());
      for (const float value : y) EXPECT_TRUE(std::isnan(value)) << std::hex << bits;
      probe_expm1(x.data(), x.size(), y.data());
      for (const float value : y) EXPECT_TRUE(std::isnan(value)) << std::hex << bits;
    }
  });
}

TEST(Expm1, is_within_1_ulp) {
  on_each_target([] {
    const std::vector<float> x = sweep(-kExpLowest, -1);
    std::vector<float> y(x.size());
    probe_expm1(x.data(), x.size(), y.data());
    EXPECT_LE(worst_error(x, y, exact_expm1), 1.0);
  });
}

TEST(Exp2Scaled, is_within_2_ulp) {
  for_each_target([](const std::string& target) {
    SCOPED_TRACE("target " + target);
    const bool fused = target.starts_with("AVX") || target.starts_with("NEON");
    for (const float factor : {0.05f, 0.25503486f, 1.44269504f, 30.0f}) {
      const std::vector<float> x = sweep(124.9f / factor, -1);
      std::vector<float> y(x.size());
      probe_exp2_scaled(x.data(), x.size(), factor, y.data());
      for (size_t i = 0; i < x.size(); ++i) {
        const double exponent = double{factor} * x[i];
        const double allowed = fused ? 2.0 : 2.0 - exponent;
        ASSERT_LE(ulp_error(y[i], std::exp2(exponent)), allowed) << factor << " x " << x[i];
      }
    }
  });
}

TEST(Exp2Scaled, of_zero_is_one_and_underflows_to_zero) {
  on_each_target([] {
    const std::vector<float> x = {0, -0.0f, -1e-45f, -126, -1e4f, -1e30f, -kInfinity, kNaN};
    std::vector<float> y(x.size());
    probe_exp2_scaled(x.data(), x.size(), 1.0f, y.data());
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(y[i], 1) << x[i];
    for (size_t i = 3; i < 7; ++i) EXPECT_EQ(y[i], 0) << x[i];
    EXPECT_TRUE(std::isnan(y[7]));
  });
}

TEST(UlpError, is_measured_in_the_last_place) {
  EXPECT_EQ(ulp_error(1 + 3 * 0x1p-23f, 1.0), 3);
  EXPECT_EQ(ulp_error(8, 8 + 0x1p-21), 0.5);
  EXPECT_TRUE(std::isnan(ulp_error(kNaN, 1)));
}

}  // namespace
}  // namespace headway::test
