// Narrower copies of rows for the matrix products: bf16 and int8.
//
// As all kernels: raw pointers, no allocation, no threads; memory outside x [n] and y [n] is
// neither read nor written. Bits depend on the values alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headway {

// y[i] = x[i] rounded to the nearest bfloat16, ties to even. NaN stays NaN.
void to_bf16(const float* x, size_t n, uint16_t* y);

// y[i] = x[i] / scale rounded to the nearest integer, in [-127, 127], with scale = max |x| / 127;
// returns scale. A row without a value from 1e-30 on
// gives zeros and 0. A row with a NaN or an infinity gives a scale
// that is not finite, so that everything made of it is NaN or infinite too.
float to_int8(const float* x, size_t n, int8_t* y);

}  // namespace headway
