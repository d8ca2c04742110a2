// Walks a row of floats vector by vector: map values to values, or sum them. What happens to a
// value depends on its index, the row's length and the target; never on the row's address.
#if defined(HEADWAY_ENGINE_KERNELS_ROW_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADWAY_ENGINE_KERNELS_ROW_INL_HPP_
#undef HEADWAY_ENGINE_KERNELS_ROW_INL_HPP_
#else
#define HEADWAY_ENGINE_KERNELS_ROW_INL_HPP_
#endif

#include <cstddef>

#include "engine/kernels/partial-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// y[i] = op(x[i]) for i < n; y may be x.
template <class D, class Op>
HWY_INLINE void map_row(D d, const float* x, size_t n, float* y, const Op& op) {
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(op(hn::LoadU(d, x + i)), d, y + i);
  if (i < n) store_partial(d, op(load_partial(d, x + i, n - i)), y + i, n - i);
}

// The sum of term(x[i]) over i < n. Four running vectors take turns, because an addition takes
// four cycles and two can start in each; more would only add to the work after the loop.
template <class D, class Term>
HWY_INLINE float sum_row(D d, const float* x, size_t n, const Term& term) {
  const size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
  size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    sum0 = hn::Add(sum0, term(hn::LoadU(d, x + i)));
    sum1 = hn::Add(sum1, term(hn::LoadU(d, x + i + lanes)));
    sum2 = hn::Add(sum2, term(hn::LoadU(d, x + i + 2 * lanes)));
    sum3 = hn::Add(sum3, term(hn::LoadU(d, x + i + 3 * lanes)));
  }
  for (; i + lanes <= n; i += lanes) sum0 = hn::Add(sum0, term(hn::LoadU(d, x + i)));
  if (i < n) {
    const auto last = term(load_partial(d, x + i, n - i));
    sum1 = hn::Add(sum1, hn::IfThenElseZero(hn::FirstN(d, n - i), last));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#endif  // include guard, once per target
