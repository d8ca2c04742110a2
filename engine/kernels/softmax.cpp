// Softmax kernels: maximum, then exp and sum, then scaling by 1/sum, each one pass over the row.
#include "engine/kernels/softmax.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/softmax.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/exp-inl.hpp"
#include "engine/kernels/row-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// max_i x[i], but at least the lowest finite float: then differences to the maximum are -inf, not
// NaN, in a row of -inf. Whether a NaN wins is left to the target's Max; it shows in the sum.
template <class D>
HWY_INLINE float row_maximum(D d, const float* x, size_t n) {
  const size_t lanes = hn::Lanes(d);
  const auto lowest = hn::Set(d, hwy::LowestValue<float>());
  auto maximum = lowest;
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) maximum = hn::Max(maximum, hn::LoadU(d, x + i));
  if (i < n) {
    const auto last = load_partial(d, x + i, n - i);
    maximum = hn::Max(maximum, hn::IfThenElse(hn::FirstN(d, n - i), last, lowest));
  }
  return hn::GetLane(hn::MaxOfLanes(d, maximum));
}

// x[i] = exp(scale (x[i] - maximum)); returns their sum. Taking the difference first makes the
// exponent exactly 0 at the maximum and its error proportional to itself, however large x is. One
// running sum suffices: exp takes longer than the addition's latency.
template <class D>
HWY_INLINE float exp_and_sum(D d, float* x, size_t n, float scale, float maximum) {
  const size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, scale);
  const auto offset = hn::Set(d, maximum);
  auto sum = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto e = exp_or_zero(d, hn::Mul(factor, hn::Sub(hn::LoadU(d, x + i), offset)));
    sum = hn::Add(sum, e);
    hn::StoreU(e, d, x + i);
  }
  if (i < n) {
    const auto last = load_partial(d, x + i, n - i);
    const auto e = exp_or_zero(d, hn::Mul(factor, hn::Sub(last, offset)));
    sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(d, n - i), e));
    store_partial(d, e, x + i, n - i);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void softmax_rows_kernel(float* x, size_t rows, size_t n, size_t stride, float scale) {
  const hn::ScalableTag<float> d;
  for (size_t row = 0; row < rows; ++row, x += stride) {
    const float maximum = row_maximum(d, x, n);
    const float sum = exp_and_sum(d, x, n, scale, maximum);
    // Only a row of -inf sums to 0: its zeros stay.
    const auto inverse = hn::Set(d, sum == 0.0f ? 0.0f : 1.0f / sum);
    map_row(d, x, n, x, [inverse](auto v) HWY_ATTR { return hn::Mul(v, inverse); });
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(softmax_rows_kernel);

void softmax(float* x, size_t n, float scale) {
  softmax_rows(x, 1, n, n, scale);
}

void softmax_rows(float* x, size_t rows, size_t n, size_t stride, float scale) {
  HWY_DYNAMIC_DISPATCH(softmax_rows_kernel)(x, rows, n, stride, scale);
}

}  // namespace headway
#endif
