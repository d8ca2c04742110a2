// The product of rows with packed weights, which may come from memory as well as from cache.
//
// As all kernels: raw pointers, no allocation, no threads; memory outside the given rows is neither
// read nor written. The bits of a row depend on its values, the weights, `chunk` and the SIMD
// target alone.
#pragma once

#include <cstddef>

namespace headway {

struct PackedProduct {
  const float* x = nullptr;        // [rows, in]
  const float* weights = nullptr;  // as PackedBlocks says
  float* y = nullptr;              // [rows, width]
  size_t rows = 0, in = 0, width = 0;
  // Each result is the sum of the sums of so many products, the last of fewer; all are added one
  // after the other.
  size_t chunk = 0;
  size_t block = 64;
};

// Weights of `width` outputs lie as [blocks][in rounded up to 16][block], aligned to 64 bytes;
// width is rounded up to 64, and what lies beyond it is 0. `block` is 64, which is oneDNN's way for
// AVX-512, or 16, where the outputs that are computed together are no more and their weights shall
// fill the first-level cache evenly.
struct PackedBlocks {
  size_t in, width, block;

  size_t depth() const { return (in + 15) / 16 * 16; }
  size_t elements() const { return (width + 63) / 64 * 64 * depth(); }
};

// Packs weights [width, in]; blocks are 16.
void pack_blocks(const float* weights, const PackedBlocks& blocks, float* packed);

// y = x W. A row less than a block of registers costs little. Few rows take the time of reading the
// weights once, which goes on while earlier ones are multiplied: 8 rows of 43 MB of weights 0.9 ms
// on two threads, of which the reading alone is 0.6 to 0.8 (Zen 4; oneDNN 3.2: 1.4 ms). Many run at
// what the CPU's multiply-adds allow: 113 to 116 GFLOP/s a core with AVX2, where oneDNN reaches 106
// to 108 in calls of 16 rows (peak 115).
void packed_product(const PackedProduct& product);

}  // namespace headway
