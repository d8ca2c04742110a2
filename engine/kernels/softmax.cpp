// Softmax kernels: maximum, then exp and sum, then scaling by 1/sum, each one pass over the row.
#include "engine/kernels/softmax.hpp"

#include <cmath>

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

// max_i scale x[i]. Whether a NaN wins is left to the target's Max.
template <class D>
HWY_INLINE float scaled_maximum(D d, const float* x, size_t n, float scale) {
  const size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, scale);
  const auto lowest = hn::Set(d, -HUGE_VALF);
  auto maximum = lowest;
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    maximum = hn::Max(maximum, hn::Mul(factor, hn::LoadU(d, x + i)));
  if (i < n) {
    const auto last = hn::Mul(factor, load_partial(d, x + i, n - i));
    maximum = hn::Max(maximum, hn::IfThenElse(hn::FirstN(d, n - i), last, lowest));
  }
  return hn::GetLane(hn::MaxOfLanes(d, maximum));
}

// x[i] = exp(scale x[i] - maximum); returns their sum. One running sum suffices: exp takes longer
// than the addition's latency.
template <class D>
HWY_INLINE float exp_and_sum(D d, float* x, size_t n, float scale, float maximum) {
  const size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, scale);
  const auto offset = hn::Set(d, maximum);
  auto sum = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto e = exp_or_zero(d, hn::MulSub(factor, hn::LoadU(d, x + i), offset));
    sum = hn::Add(sum, e);
    hn::StoreU(e, d, x + i);
  }
  if (i < n) {
    const auto last = load_partial(d, x + i, n - i);
    const auto e = exp_or_zero(d, hn::MulSub(factor, last, offset));
    sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(d, n - i), e));
    store_partial(d, e, x + i, n - i);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void softmax_rows_kernel(float* x, size_t rows, size_t n, size_t stride, float scale) {
  const hn::ScalableTag<float> d;
  for (size_t row = 0; row < rows; ++row, x += stride) {
    const float maximum = scaled_maximum(d, x, n, scale);
    if (maximum == -HUGE_VALF) {
      // Every value is -inf, or NaN where Max dropped it: a sum tells which.
      const float sum = sum_row(d, x, n, [](auto v) HWY_ATTR { return v; });
      const auto fill = hn::Set(d, sum == sum ? 0.0f : sum);
      map_row(d, x, n, x, [fill](auto) HWY_ATTR { return fill; });
      continue;
    }
    const float sum = exp_and_sum(d, x, n, scale, maximum);
    const auto inverse = hn::Set(d, 1.0f / sum);
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
