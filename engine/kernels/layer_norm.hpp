// Layer normalization kernel.
//
// As all kernels: raw pointers, no allocation, no threads; memory outside the given rows is neither
// read nor written. The bits of a row depend on its values, width, the LayerNorm and the SIMD
// target alone.
#pragma once

#include <cstddef>

namespace headway {

struct LayerNorm {
  const float* gamma = nullptr;  // [width]
  const float* beta = nullptr;   // [width] or absent: no shift
  float epsilon = 0;             // above 0
};

// y[r, i] = (x[r, i] - mean_r) / sqrt(var_r + epsilon) * gamma[i] + beta[i] over x [rows, width]
// with the population variance, as torch.nn.LayerNorm. y may be x. The mean is corrected and the
// variance centered, so rows far from 0 lose no precision and a row of equal values gives exactly
// beta. Squares must fit f32: from about 1e18 on a deviation makes the variance infinite and the
// row beta. A NaN or infinity makes its row NaN.
void layer_norm(const float* x, size_t rows, size_t width, const LayerNorm& norm, float* y);

}  // namespace headway
