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

// AVX-512, SVE and RVV leave masked-out memory alone. Elsewhere (HWY_MEM_OPS_MIGHT_FAULT; also
// AVX2, whose masked accesses AMD allows to fault) a part is put together from halves, quarters,
// ...: a copy through the stack would cost a call and a stalled load for every row.

// p[0, n) with zeros in the other lanes, n < Lanes(d).
template <class D>
HWY_INLINE hn::Vec<D> load_partial(D d, const float* p, size_t n) {
#if HWY_MEM_OPS_MIGHT_FAULT
  if constexpr (hn::MaxLanes(D()) == 1) {
    (void)p, (void)n;  // never called, but compiled
    return hn::Zero(d);
  } else {
    const hn::Half<D> half;
    const size_t lanes = hn::Lanes(half);
    if (n >= lanes)
      return hn::Combine(d, load_partial(half, p + lanes, n - lanes), hn::LoadU(half, p));
    return hn::ZeroExtendVector(d, load_partial(half, p, n));
  }
#else
  return hn::MaskedLoad(hn::FirstN(d, n), d, p);
#endif
}

// Stores the first n lanes, n < Lanes(d).
template <class D>
HWY_INLINE void store_partial(D d, hn::Vec<D> v, float* p, size_t n) {
#if HWY_MEM_OPS_MIGHT_FAULT
  (void)d;
  if constexpr (hn::MaxLanes(D()) > 1) {
    const hn::Half<D> half;
    const size_t lanes = hn::Lanes(half);
    if (n >= lanes) {
      hn::StoreU(hn::LowerHalf(half, v), half, p);
      store_partial(half, hn::UpperHalf(half, v), p + lanes, n - lanes);
    } else {
      store_partial(half, hn::LowerHalf(half, v), p, n);
    }
  }
#else
  hn::BlendedStore(v, hn::FirstN(d, n), d, p);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#endif  // include guard, once per target
