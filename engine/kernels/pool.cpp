// Kernels that turn the rows of a sequence into one vector.
#include "engine/kernels/pool.hpp"

#include <limits>

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

// y[i] = finish(step(... step(start, x[0, i], 0) ..., x[rows - 1, i], rows - 1)). Four vectors of
// columns at a time: their results stay in registers while the rows go by, and one cache line or
// more of each row is used whole.
template <class D, class Step, class Finish>
HWY_INLINE void reduce_rows(D d, const float* x, size_t rows, size_t width, float start,
                            const Step& step, const Finish& finish, float* y) {
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + 4 * lanes <= width; i += 4 * lanes) {
    auto all0 = hn::Set(d, start), all1 = all0, all2 = all0, all3 = all0;
    const float* from = x + i;
    for (size_t row = 0; row < rows; ++row, from += width) {
      all0 = step(all0, hn::LoadU(d, from), row);
      all1 = step(all1, hn::LoadU(d, from + lanes), row);
      all2 = step(all2, hn::LoadU(d, from + 2 * lanes), row);
      all3 = step(all3, hn::LoadU(d, from + 3 * lanes), row);
    }
    hn::StoreU(finish(all0), d, y + i);
    hn::StoreU(finish(all1), d, y + i + lanes);
    hn::StoreU(finish(all2), d, y + i + 2 * lanes);
    hn::StoreU(finish(all3), d, y + i + 3 * lanes);
  }
  for (; i + lanes <= width; i += lanes) {
    auto all = hn::Set(d, start);
    for (size_t row = 0; row < rows; ++row) all = step(all, hn::LoadU(d, x + row * width + i), row);
    hn::StoreU(finish(all), d, y + i);
  }
  if (i < width) {
    auto all = hn::Set(d, start);
    for (size_t row = 0; row < rows; ++row)
      all = step(all, load_partial(d, x + row * width + i, width - i), row);
    store_partial(d, finish(all), y + i, width - i);
  }
}

void sum_rows_kernel(const float* x, size_t rows, size_t width, float divisor, float* y) {
  const hn::ScalableTag<float> d;
  const auto count = hn::Set(d, divisor);
  reduce_rows(
      d, x, rows, width, 0.0f, [](auto sum, auto v, size_t) HWY_ATTR { return hn::Add(sum, v); },
      [count](auto sum) HWY_ATTR { return hn::Div(sum, count); }, y);
}

void weighted_mean_rows_kernel(const float* x, size_t rows, size_t width, size_t first, float* y) {
  const hn::ScalableTag<float> d;
  const double weights = static_cast<double>(rows) * static_cast<double>(2 * first + rows - 1) / 2;
  const auto sum_of_weights = hn::Set(d, rows == 0 ? 1.0f : static_cast<float>(weights));
  reduce_rows(
      d, x, rows, width, 0.0f,
      [d, first](auto sum, auto v, size_t row)
          HWY_ATTR { return hn::MulAdd(v, hn::Set(d, static_cast<float>(first + row)), sum); },
      [sum_of_weights](auto sum) HWY_ATTR { return hn::Div(sum, sum_of_weights); }, y);
}

void max_rows_kernel(const float* x, size_t rows, size_t width, float* y) {
  const hn::ScalableTag<float> d;
  // Compared and chosen, because Max loses NaN on some targets.
  const float start = rows == 0 ? 0.0f : -std::numeric_limits<float>::infinity();
  reduce_rows(
      d, x, rows, width, start,
      [](auto most, auto v, size_t)
          HWY_ATTR { return hn::IfThenElse(hn::Or(hn::Gt(v, most), hn::IsNaN(v)), v, most); },
      [](auto most) HWY_ATTR { return most; }, y);
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

HWY_EXPORT(sum_rows_kernel);
HWY_EXPORT(weighted_mean_rows_kernel);
HWY_EXPORT(max_rows_kernel);
HWY_EXPORT(l2_normalize_kernel);

void sum_rows(const float* x, size_t rows, size_t width, float divisor, float* y) {
  HWY_DYNAMIC_DISPATCH(sum_rows_kernel)(x, rows, width, divisor, y);
}

void weighted_mean_rows(const float* x, size_t rows, size_t width, size_t first, float* y) {
  HWY_DYNAMIC_DISPATCH(weighted_mean_rows_kernel)(x, rows, width, first, y);
}

void max_rows(const float* x, size_t rows, size_t width, float* y) {
  HWY_DYNAMIC_DISPATCH(max_rows_kernel)(x, rows, width, y);
}

void l2_normalize(const float* x, size_t rows, size_t width, float eps, float* y) {
  HWY_DYNAMIC_DISPATCH(l2_normalize_kernel)(x, rows, width, eps, y);
}

}  // namespace headway
#endif
