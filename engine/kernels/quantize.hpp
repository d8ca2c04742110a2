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

// What the bytes of a row stand for: x is about scale (y - zero).
struct ByteScale {
  float scale;
  int32_t zero;  // the byte of 0, in [0, 255]
};

// y[i] = x[i] / scale + zero rounded to the nearest byte: 256 steps from the least to the greatest
// number of the row, or 0 where that lies beyond them. A row whose steps would be below 1e-30 gives
// zeros and the scale 0, one with a NaN or an infinity the scale NaN, so that everything made of it
// is NaN too.
ByteScale to_uint8(const float* x, size_t n, uint8_t* y);

}  // namespace headway
