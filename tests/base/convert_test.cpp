// Half-precision values, every one of them, against their definition.
#include "engine/base/convert.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

// What the bits mean: a sign, `exponent_bits` of exponent, the rest fraction (IEEE 754, 3.4).
double value_of(uint16_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits & 0x7FFF) >> fraction_bits;
  const double fraction = std::ldexp(bits & ((1 << fraction_bits) - 1), -fraction_bits);
  double value;
  if (exponent == (1 << exponent_bits) - 1) {
    value = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(fraction, 1 - bias);
  } else {
    value = std::ldexp(1 + fraction, exponent - bias);
  }
  return std::copysign(value, bits & 0x8000 ? -1.0 : 1.0);
}

void expect_same(float actual, double expected, int bits) {
  ASSERT_EQ(std::isnan(actual), std::isnan(expected)) << bits;
  ASSERT_EQ(std::signbit(actual), std::signbit(expected)) << bits;
  if (!std::isnan(expected)) {
    ASSERT_EQ(static_cast<double>(actual), expected) << bits;
  }
}

TEST(Convert, EveryHalfPrecisionValue) {
  for (int bits = 0; bits < 65536; ++bits) {
    expect_same(f16_to_f32(static_cast<uint16_t>(bits)), value_of(static_cast<uint16_t>(bits), 5),
                bits);
    expect_same(bf16_to_f32(static_cast<uint16_t>(bits)), value_of(static_cast<uint16_t>(bits), 8),
                bits);
  }
}

TEST(Convert, ReadsPartsAtAnyAlignment) {
  const uint16_t halves[] = {0x3C00, 0xC000, 0x3800, 0x7BFF};  // 1, -2, 0.5, 65504
  const float floats[] = {1.5f, -2.5f, 3.5f, 4.5f};
  for (size_t shift = 0; shift < 4; ++shift) {
    std::vector<std::byte> memory(sizeof(floats) + shift);
    std::byte* data = memory.data() + shift;
    float out[3] = {-1, -1, -1};
    std::memcpy(data, halves, sizeof(halves));
    read_f32(TensorView(data, DType::f16, {4}), 1, 2, out);
    EXPECT_EQ(std::vector<float>(out, out + 3), (std::vector<float>{-2, 0.5f, -1}));
    read_f32(TensorView(data, DType::bf16, {4}), 1, 1, out);
    EXPECT_EQ(out[0], bf16_to_f32(0xC000));
    std::memcpy(data, floats, sizeof(floats));
    read_f32(TensorView(data, DType::f32, {2, 2}), 2, 2, out);
    EXPECT_EQ(std::vector<float>(out, out + 3), (std::vector<float>{3.5f, 4.5f, -1}));
  }
}

TEST(Convert, RefusesOtherTypes) {
  const int32_t values[2] = {};
  float out[2];
  expect_error(ErrorCode::unsupported, "weights of type i32, expected f32, f16 or bf16",
               [&] { read_f32(TensorView(values, {2}), 0, 2, out); });
}

}  // namespace
}  // namespace headway
