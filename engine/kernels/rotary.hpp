// Rotary position embedding kernel.
//
// As all kernels: raw pointers, no allocation, no threads; memory outside the given rows is neither
// read nor written. The bits of a head depend on its values, the table and the SIMD target alone.
#pragma once

#include <cstddef>

namespace headway {

// y [heads, size] is x with the first `dims` numbers of each head turned: pair p (p < dims / 2),
// (a, b), becomes (a cos - b sin, b cos + a sin) with cos = table[p] and sin = table[dims / 2 + p]
// (Su et al., "RoFormer", 2021). Pairs are numbers p and dims / 2 + p of a head, as in GPT-NeoX, or
// 2 p and 2 p + 1 where `interleaved`. y may be x.
void rotate_heads(const float* x, const float* table, size_t heads, size_t size, size_t dims,
                  bool interleaved, float* y);

}  // namespace headway
