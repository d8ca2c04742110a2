// Weights of other types as f32.
#pragma once

#include <cstdint>

#include "headway/tensor.hpp"

namespace headway {

// The value of IEEE 754 half-precision bits, exact.
float f16_to_f32(uint16_t bits);
// The value of bfloat16 bits, exact.
float bf16_to_f32(uint16_t bits);

// Elements [begin, begin + count) of a f32, f16 or bf16 tensor as f32. The data may be unaligned.
// Error(unsupported) for other types.
void read_f32(const TensorView& tensor, int64_t begin, int64_t count, float* to);

}  // namespace headway
