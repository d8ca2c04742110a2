// Attention of one head over one sequence without a matrix of scores.
//
// As all kernels: raw pointers, no allocation, no threads; memory outside the given rows and the
// scratch is neither read nor written. The bits of a query's result depend on its row, on the keys
// and values, on the sizes, the scale and the SIMD target alone.
#pragma once

#include <cstddef>

namespace headway {

// Rows of tokens at a stride, in elements; a row holds `size` values of the head.
struct TiledAttention {
  const float* q = nullptr;  // [queries, size]
  const float* k = nullptr;  // [keys, size]
  const float* v = nullptr;  // [keys, size]
  float* out = nullptr;      // [queries, size]
  size_t queries = 0, keys = 0, size = 0;
  size_t q_stride = 0, k_stride = 0, v_stride = 0, out_stride = 0;
  float scale = 1;
};

// Queries that share one packing of the keys; a call with more costs more scratch.
inline constexpr size_t kTiledQueries = 192;

// Bytes of scratch for at most kTiledQueries queries, for every target: independent of the number
// of keys.
size_t tiled_attention_scratch(size_t size);

// out[i] = sum_j w[i, j] v[j], w[i] = softmax_j(scale q[i] k[j]), for queries <= kTiledQueries and
// keys >= 1. Blocks of keys with a running maximum (Milakov and Gimelshein, "Online normalizer
// calculation for softmax", 2018; Dao et al., "FlashAttention", 2022), so that scores never leave
// the cache. exp is that of exp-inl.hpp: below 1 ulp, exactly 0 below kExpLowest. `scratch` is
// aligned to 64.
void tiled_attention(const TiledAttention& a, std::byte* scratch);

}  // namespace headway
