// A sweep through the floats of a range, and errors in units of the last place.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace headway::test {

// Every `step`-th float from 2^-40 up to `highest`, with the sign of `sign`, and 0 and `highest`
// themselves. A prime step meets all low mantissa bits.
inline std::vector<float> sweep(float highest, float sign, uint32_t step = 509) {
  std::vector<float> values = {std::copysign(0.0f, sign), std::copysign(highest, sign)};
  const uint32_t last = std::bit_cast<uint32_t>(highest);
  for (uint32_t bits = std::bit_cast<uint32_t>(0x1p-40f); bits < last; bits += step)
    values.push_back(std::copysign(std::bit_cast<float>(bits), sign));
  return values;
}

// |actual - exact| in units of the last place of `exact` as a normal f32.
inline double ulp_error(float actual, double exact) {
  const double size = std::max(std::abs(exact), double{std::numeric_limits<float>::min()});
  const double unit = std::ldexp(1.0, std::ilogb(size) - 23);
  return std::abs(actual - exact) / unit;
}

}  // namespace headway::test
