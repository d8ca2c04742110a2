// Loads and stores of fewer values than a vector holds, which never touch memory beyond them.
#if defined(HEADWAY_ENGINE_KERNELS_PARTIAL_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADWAY_ENGINE_KERNELS_PARTIAL_INL_HPP_
#undef HEADWAY_ENGINE_KERNELS_PARTIAL_INL_HPP_
#else
#define HEADWAY_ENGINE_KERNELS_PARTIAL_INL_HPP_
#endif

#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Only AVX2, AVX-512, SVE and RVV leave masked-out memory alone; elsewhere
// (HWY_MEM_OPS_MIGHT_FAULT) a small aligned copy stands between. p[0, n) with zeros in the other
// lanes, n < Lanes(d).
template <class D>
HWY_INLINE hn::Vec<D> load_partial(D d, const float* p, size_t n) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN float buffer[HWY_MAX(1, hn::MaxLanes(D()))] = {};
  for (size_t i = 0; i < n; ++i) buffer[i] = p[i];
  return hn::Load(d, buffer);
#else
  return hn::MaskedLoad(hn::FirstN(d, n), d, p);
#endif
}

// Stores the first n lanes, n < Lanes(d).
template <class D>
HWY_INLINE void store_partial(D d, hn::Vec<D> v, float* p, size_t n) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN float buffer[HWY_MAX(1, hn::MaxLanes(D()))];
  hn::Store(v, d, buffer);
  for (size_t i = 0; i < n; ++i) p[i] = buffer[i];
#else
  hn::BlendedStore(v, hn::FirstN(d, n), d, p);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#endif  // include guard, once per target
