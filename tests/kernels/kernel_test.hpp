// What the kernel tests share: sizes, inputs, bit comparison, and running a case on every target.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "engine/kernels/targets.hpp"
#include "tests/kernels/guarded.hpp"
#include "tests/reference/functions.hpp"

namespace headway::test {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
// Unit roundoff of f32: one operation's relative error is at most this.
inline constexpr double kUnit = 1.0 / (1 << 24);

// Around every multiple of a vector's 1 to 16 lanes, and some real widths.
inline std::vector<size_t> sizes() {
  std::vector<size_t> result;
  for (size_t n = 0; n <= 70; ++n) result.push_back(n);
  for (const size_t n : {127, 128, 129, 130, 384, 768, 1000, 1023, 1024, 1025}) result.push_back(n);
  return result;
}

// n values of a normal distribution; the same for the same arguments.
inline std::vector<float> normal_values(size_t n, float mean = 0, float deviation = 1,
                                        uint32_t seed = 1) {
  std::mt19937 generator(seed + static_cast<uint32_t>(n));
  std::normal_distribution<float> distribution(mean, deviation);
  std::vector<float> values(n);
  for (float& value : values) value = distribution(generator);
  return values;
}

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

// Calls check(x) for `values` at each offset from a 64-byte boundary.
template <typename Check>
void at_each_alignment(std::span<const float> values, const Check& check) {
  for (size_t offset = 0; offset < 16; ++offset) {
    std::vector<float> room(values.size() + 32);
    const size_t aligned = (64 - reinterpret_cast<uintptr_t>(room.data()) % 64) % 64 / 4;
    float* x = room.data() + aligned + offset;
    std::copy(values.begin(), values.end(), x);
    SCOPED_TRACE(testing::Message() << "offset " << offset);
    check(x);
  }
}

// Runs `check` once on each target of this CPU; failures name the target.
template <typename Check>
void on_each_target(const Check& check) {
  for_each_target([&](const std::string& name) {
    SCOPED_TRACE("target " + name);
    check();
  });
}

}  // namespace headway::test
