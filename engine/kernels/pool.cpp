// Kernels that turn the rows of a sequence into one vector.
#include "engine/kernels/pool.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/pool.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/row-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Four vectors of columns at a time: their sums stay in registers while the rows go by, and one
// cache line or more of each row is used whole.
void mean_rows_kernel(const float* x, size_t rows, size_t width, float* y) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  // 0 rows sum to 0; dividing by 1 keeps that.
  const auto count = hn::Set(d, rows == 0 ? 1.0f : static_cast<float>(rows));
  size_t i = 0;
  for (; i + 4 * lanes <= width; i += 4 * lanes) {
    auto sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
    const float* from = x + i;
    for (size_t row = 0; row < rows; ++row, from += width) {
      sum0 = hn::Add(sum0, hn::LoadU(d, from));
      sum1 = hn::Add(sum1, hn::LoadU(d, from + lanes));
      sum2 = hn::Add(sum2, hn::LoadU(d, from + 2 * lanes));
      sum3 = hn::Add(sum3, hn::LoadU(d, from + 3 * lanes));
    }
    hn::StoreU(hn::Div(sum0, count), d, y + i);
    hn::StoreU(hn::Div(sum1, count), d, y + i + lanes);
    hn::StoreU(hn::Div(sum2, count), d, y + i + 2 * lanes);
    hn::StoreU(hn::Div(sum3, count), d, y + i + 3 * lanes);
  }
  for (; i + lanes <= width; i += lanes) {
    auto sum = hn::Zero(d);
    for (size_t row = 0; row < rows; ++row) sum = hn::Add(sum, hn::LoadU(d, x + row * width + i));
    hn::StoreU(hn::Div(sum, count), d, y + i);
  }
  if (i < width) {
    auto sum = hn::Zero(d);
    for (size_t row = 0; row < rows; ++row)
      sum = hn::Add(sum, load_partial(d, x + row * width + i, width - i));
    store_partial(d, hn::Div(sum, count), y + i, width - i);
  }
}

void l2_normalize_kernel(const float* x, size_t rows, size_t width, float eps, float* y) {
  const hn::ScalableTag<float> d;
  for (size_t row = 0; row < rows; ++row, x += width, y += width) {
    const float squares = sum_row(d, x, width, [](auto v) HWY_ATTR { return hn::Mul(v, v); });
    const float norm = hn::GetLane(hn::Sqrt(hn::Set(d, squares)));
    const auto divisor = hn::Set(d, norm < eps ? eps : norm);  // keeps NaN
    map_row(d, x, width, y, [divisor](auto v) HWY_ATTR { return hn::Div(v, divisor); });
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(mean_rows_kernel);
HWY_EXPORT(l2_normalize_kernel);

void mean_rows(const float* x, size_t rows, size_t width, float* y) {
  HWY_DYNAMIC_DISPATCH(mean_rows_kernel)(x, rows, width, y);
}

void l2_normalize(const float* x, size_t rows, size_t width, float eps, float* y) {
  HWY_DYNAMIC_DISPATCH(l2_normalize_kernel)(x, rows, width, eps, y);
}

}  // namespace headway
#endif
