// Softmax kernels.
//
// As all kernels: raw pointers, no allocation, no threads; memory outside the given rows is neither
// read nor written. The bits of a row depend on its values, n, scale and the SIMD target alone.
#pragma once

#include <cstddef>

namespace headway {

// x[i] = exp(scale x[i] - m) / sum_j exp(scale x[j] - m) with m = max_j scale x[j], in place over
// x [n]; scale > 0 and finite. Weights below 4e-31 of the largest one are exactly 0, so there are
// no denormals. n == 0 does nothing; a row of -inf becomes 0; a row with a NaN or +inf becomes NaN,
// as in PyTorch.
void softmax(float* x, size_t n, float scale);

// The same on each of `rows` rows of n values that start `stride` values apart; the values between
// rows stay untouched.
void softmax_rows(float* x, size_t rows, size_t n, size_t stride, float scale);

}  // namespace headway
