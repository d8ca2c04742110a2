// The product of a few rows with packed weights that come from memory, not from cache.
//
// As all kernels: raw pointers, no allocation, no threads; memory outside the given rows is neither
// read nor written. The bits of a row depend on its values, the weights, `chunk` and the SIMD
// target alone.
#pragma once

#include <cstddef>

namespace headway {

struct ThinProduct {
  const float* x = nullptr;  // [rows, in]
  // [ceil(width / 64)][in rounded up to 16][64], aligned to 64 bytes, zeros beyond width.
  const float* weights = nullptr;
  float* y = nullptr;  // [rows, width]
  size_t rows = 0, in = 0, width = 0;
  // Each result is the sum of the sums of so many products, the last of fewer; all are added one
  // after the other.
  size_t chunk = 0;
};

// y = x W. A row less than a block of registers costs little: what takes time is reading the
// weights once, which goes on while earlier ones are multiplied. 8 rows of 43 MB of weights: 0.9 ms
// on two threads, of which the reading alone is 0.6 to 0.8 (Zen 4; oneDNN 3.2: 1.4 ms).
void thin_product(const ThinProduct& product);

}  // namespace headway
