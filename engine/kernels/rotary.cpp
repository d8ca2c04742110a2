// Rotary position embedding kernel.
#include "engine/kernels/rotary.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/rotary.cpp"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Pairs [from, from + lanes) of a head, as many as fit; returns the first that is left.
template <class D>
HWY_INLINE size_t rotate_pairs(D d, const float* x, const float* table, size_t half,
                               bool interleaved, size_t from, float* y) {
  const size_t lanes = hn::Lanes(d);
  size_t p = from;
  for (; p + lanes <= half; p += lanes) {
    const auto cos = hn::LoadU(d, table + p), sin = hn::LoadU(d, table + half + p);
    hn::Vec<D> a, b;
    if (interleaved) {
      hn::LoadInterleaved2(d, x + 2 * p, a, b);
    } else {
      a = hn::LoadU(d, x + p);
      b = hn::LoadU(d, x + half + p);
    }
    const auto turned_a = hn::NegMulAdd(b, sin, hn::Mul(a, cos));
    const auto turned_b = hn::MulAdd(a, sin, hn::Mul(b, cos));
    if (interleaved) {
      hn::StoreInterleaved2(turned_a, turned_b, d, y + 2 * p);
    } else {
      hn::StoreU(turned_a, d, y + p);
      hn::StoreU(turned_b, d, y + half + p);
    }
  }
  return p;
}

void rotate_heads_kernel(const float* x, const float* table, size_t heads, size_t size, size_t dims,
                         bool interleaved, float* y) {
  const size_t half = dims / 2;
  for (size_t head = 0; head < heads; ++head, x += size, y += size) {
    const size_t done = rotate_pairs(hn::ScalableTag<float>(), x, table, half, interleaved, 0, y);
    rotate_pairs(hn::CappedTag<float, 1>(), x, table, half, interleaved, done, y);
    if (y != x) std::memcpy(y + dims, x + dims, (size - dims) * sizeof(float));
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(rotate_heads_kernel);

void rotate_heads(const float* x, const float* table, size_t heads, size_t size, size_t dims,
                  bool interleaved, float* y) {
  HWY_DYNAMIC_DISPATCH(rotate_heads_kernel)(x, table, heads, size, dims, interleaved, y);
}

}  // namespace headway
#endif
