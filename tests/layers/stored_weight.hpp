// Weights as files hold them: half-precision types, and addresses that fit no type.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "headway/weights.hpp"
#include "tests/support/random.hpp"

namespace headway {

// The value of IEEE 754 half-precision bits with an exponent that is neither 0 nor 31.
inline float half_value(uint16_t bits) {
  const double fraction = 1 + (bits & 0x3ff) / 1024.0;
  const double value = std::ldexp(fraction, ((bits >> 10) & 0x1f) - 15);
  return static_cast<float>((bits & 0x8000) != 0 ? -value : value);
}

// Random numbers in +-bound, as they are in memory and as what they mean. `odd` puts them one byte
// beyond an aligned address.
class StoredWeight {
 public:
  StoredWeight(Random& random, DType dtype, Shape shape, float bound, bool odd = false)
      : dtype_(dtype), shape_(shape), offset_(odd ? 1 : 0) {
    const auto count = static_cast<size_t>(shape.elements());
    const size_t size = size_of(dtype);
    bytes_.resize(count * size + offset_);
    for (size_t i = 0; i < count; ++i) {
      float value = random.uniform(-bound, bound);
      uint32_t bits = std::bit_cast<uint32_t>(value);
      if (dtype == DType::bf16) {
        bits >>= 16;
        value = std::bit_cast<float>(bits << 16);
      } else if (dtype == DType::f16) {
        // 4 exponents below `bound`, any fraction.
        const int exponent = std::ilogb(bound) - 1 - random.below(4) + 15;
        bits = static_cast<uint32_t>(random.below(2) << 15 | exponent << 10 | random.below(1024));
        value = half_value(static_cast<uint16_t>(bits));
      }
      std::memcpy(bytes_.data() + offset_ + i * size, &bits, size);
      values_.push_back(value);
    }
  }

  Weight weight(const std::string& name = "") const {
    return {TensorView(bytes_.data() + offset_, dtype_, shape_), name};
  }
  const std::vector<float>& values() const { return values_; }

 private:
  DType dtype_;
  Shape shape_;
  size_t offset_;
  std::vector<unsigned char> bytes_;
  std::vector<float> values_;
};

struct Storage {
  DType dtype;
  bool odd;
  std::string name() const { return std::string(to_string(dtype)) + (odd ? "_unaligned" : ""); }
};

// Every way a weight may be stored.
inline std::vector<Storage> storages() {
  return {{DType::f32, false}, {DType::f16, false}, {DType::bf16, false},
          {DType::f32, true},  {DType::f16, true},  {DType::bf16, true}};
}

}  // namespace headway
