// Matrices of a precision, as the products take them and as what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/base/convert.hpp"
#include "engine/kernels/quantize.hpp"
#include "engine/ops/precision.hpp"
#include "headway/error.hpp"
#include "headway/operations.hpp"
#include "tests/support/random.hpp"

namespace headway {

// `count` elements at `offset` elements beyond a 64-byte boundary.
template <typename T>
class Placed {
 public:
  explicit Placed(int64_t count, T fill = {}, size_t offset = 0)
      : room_(static_cast<size_t>(count) + offset + 64 / sizeof(T), fill),
        begin_((64 - reinterpret_cast<uintptr_t>(room_.data()) % 64) % 64 / sizeof(T) + offset) {}
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

  T* data() { return room_.data() + begin_; }
  const T* data() const { return room_.data() + begin_; }

 private:
  std::vector<T> room_;
  size_t begin_;
};

inline size_t element_size(Precision precision) {
  switch (precision) {
    case Precision::f32:
      return sizeof(float);
    case Precision::bf16:
      return sizeof(uint16_t);
    case Precision::int8:
      return sizeof(int8_t);
  }
  return 0;
}

// Precisions that products can be made in here.
inline std::vector<Precision> product_precisions() {
  std::vector<Precision> result = {Precision::f32};
  for (const Precision precision : {Precision::bf16, Precision::int8}) {
    try {
      expect_usable(precision, true);
      result.push_back(precision);
    } catch (const Error&) {
    }
  }
  return result;
}

// Random weights: N(0, 1), rounded in bf16; in int8 any number from -127 to 127. As rows, whose
// bytes have no sign in int8, any number from 0 to 255.
struct Operand {
  std::vector<std::byte> bytes;
  std::vector<double> values;

  Operand(Random& random, Precision precision, int64_t count, bool rows = false) {
    bytes.resize(static_cast<size_t>(count) * element_size(precision));
    if (precision == Precision::int8) {
      for (std::byte& byte : bytes) {
        const int32_t value = rows ? random.below(256) : random.below(255) - 127;
        byte = static_cast<std::byte>(value);
        values.push_back(value);
      }
      return;
    }
    const std::vector<float> x = random.normals(count);
    if (precision == Precision::f32) {
      std::memcpy(bytes.data(), x.data(), bytes.size());
      values.assign(x.begin(), x.end());
      return;
    }
    std::vector<uint16_t> bits(x.size());
    to_bf16(x.data(), x.size(), bits.data());
    std::memcpy(bytes.data(), bits.data(), bytes.size());
    for (uint16_t value : bits) values.push_back(bf16_to_f32(value));
  }
};

}  // namespace headway
