// Half-precision formats, element by element: used while packing, not while running.
#include "engine/base/convert.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "engine/base/message.hpp"

namespace headway {

float f16_to_f32(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1f;
  const uint32_t fraction = bits & 0x3ff;
  if (exponent == 0) {  // zero and denormals: fraction * 2^-24
    const float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -value : value;
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

float bf16_to_f32(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

void read_f32(const TensorView& tensor, int64_t begin, int64_t count, float* to) {
  const auto* from = static_cast<const std::byte*>(tensor.data) +
                     begin * static_cast<int64_t>(size_of(tensor.dtype));
  if (tensor.dtype == DType::f32) {
    std::memcpy(to, from, count * sizeof(float));
    return;
  }
  if (tensor.dtype != DType::f16 && tensor.dtype != DType::bf16) {
    fail(ErrorCode::unsupported, "weights of type ", to_string(tensor.dtype),
         ", expected f32, f16 or bf16");
  }
  const auto convert = tensor.dtype == DType::f16 ? f16_to_f32 : bf16_to_f32;
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, from + 2 * i, 2);
    to[i] = convert(bits);
  }
}

}  // namespace headway
