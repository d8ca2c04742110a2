// Attention over one sequence, for heads that share their keys, without a matrix of scores.
//
// As all kernels: raw pointers, no allocation, no threads; memory outside the given rows and the
// scratch is neither read nor written. The bits of a query's result depend on its row, on the keys
// and values, on the sizes, the rule and the SIMD target alone.
#pragma once

#include <cstddef>

#include "engine/kernels/score_rule.hpp"

namespace headway {

// Keys and their values: rows of tokens at strides, in elements.
struct KeyRows {
  const float* k = nullptr;  // [count, size]
  const float* v = nullptr;  // [count, value_size]
  size_t count = 0;
  size_t k_stride = 0, v_stride = 0;
};

struct TiledAttention {
  const float* q = nullptr;      // [heads, queries, size]
  float* out = nullptr;          // [heads, queries, value_size]
  KeyRows past = {}, keys = {};  // one after the other
  size_t heads = 1, queries = 0, size = 0, value_size = 0;
  size_t q_head = 0, q_stride = 0, out_head = 0, out_stride = 0;
  // How the rule knows the first head and query.
  const ScoreRule* rule = nullptr;
  size_t first_head = 0, first_query = 0;
  // Rounds queries, keys, weights and values to bf16 for the products, which add up in f32. Needs
  // AVX512_BF16; targets below AVX-512 compute in f32 all the same.
  bool bf16 = false;
};

// Rows (heads times queries) that share one packing of the keys; a call with more costs more
// scratch.
inline constexpr size_t kTiledRows = 384;

// Bytes of scratch for at most kTiledRows rows, for every target: independent of the number of
// keys.
size_t tiled_attention_scratch(size_t size, size_t value_size);

// out[h, i] = sum_j w[j] v[j], w = softmax(the scores q[h, i] k[j] after the rule); zeros for a
// query that sees no key. heads * queries <= kTiledRows. Keys outside the band of all queries cost
// nothing. Blocks of keys with a running maximum (Milakov and Gimelshein, "Online normalizer
// calculation for softmax", 2018; Dao et al., "FlashAttention", 2022), so that scores never leave
// the cache. exp is that of exp-inl.hpp: below 1 ulp, exactly 0 below kExpLowest. `scratch` is
// aligned to 64.
void tiled_attention(const TiledAttention& a, std::byte* scratch);

}  // namespace headway
