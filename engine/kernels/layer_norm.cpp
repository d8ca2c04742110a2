// Layer normalization kernel: mean, its correction, the variance and the result, a pass each over a
// row that stays in the L1 cache.
#include "engine/kernels/layer_norm.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/layer_norm.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/row-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// What turns a value into its normalized form: (x - mean - correction) * inverse_deviation.
struct Moments {
  float mean;        // rounded to f32
  float correction;  // the rest of the mean
  float inverse_deviation;
};

template <class D>
HWY_INLINE Moments row_moments(D d, const float* x, size_t width, float epsilon) {
  const float count = static_cast<float>(width);
  const float mean = sum_row(d, x, width, [](auto v) HWY_ATTR { return v; }) / count;
  // Deviations from the rounded mean: their mean is what rounding took from it.
  const auto center = hn::Set(d, mean);
  const float correction =
      sum_row(d, x, width, [center](auto v) HWY_ATTR { return hn::Sub(v, center); }) / count;
  const auto rest = hn::Set(d, correction);
  const auto square = [center, rest](auto v) HWY_ATTR {
    const auto deviation = hn::Sub(hn::Sub(v, center), rest);
    return hn::Mul(deviation, deviation);
  };
  const float variance = sum_row(d, x, width, square) / count;
  const auto one = hn::Set(d, 1.0f);
  const float inverse = hn::GetLane(hn::Div(one, hn::Sqrt(hn::Set(d, variance + epsilon))));
  return {mean, correction, inverse};
}

template <class D>
HWY_INLINE void normalize_row(D d, const float* x, size_t width, const Moments& moments,
                              const LayerNorm& norm, float* y) {
  const size_t lanes = hn::Lanes(d);
  const auto mean = hn::Set(d, moments.mean);
  const auto correction = hn::Set(d, moments.correction);
  const auto inverse = hn::Set(d, moments.inverse_deviation);
  const auto normalize = [&](auto v, auto g) HWY_ATTR {
    return hn::Mul(hn::Mul(hn::Sub(hn::Sub(v, mean), correction), inverse), g);
  };
  size_t i = 0;
  for (; i + lanes <= width; i += lanes) {
    auto v = normalize(hn::LoadU(d, x + i), hn::LoadU(d, norm.gamma + i));
    if (norm.beta) v = hn::Add(v, hn::LoadU(d, norm.beta + i));
    hn::StoreU(v, d, y + i);
  }
  if (i < width) {
    const size_t rest = width - i;
    auto v = normalize(load_partial(d, x + i, rest), load_partial(d, norm.gamma + i, rest));
    if (norm.beta) v = hn::Add(v, load_partial(d, norm.beta + i, rest));
    store_partial(d, v, y + i, rest);
  }
}

void layer_norm_kernel(const float* x, size_t rows, size_t width, const LayerNorm& norm, float* y) {
  const hn::ScalableTag<float> d;
  for (size_t row = 0; row < rows; ++row, x += width, y += width)
    normalize_row(d, x, width, row_moments(d, x, width, norm.epsilon), norm, y);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(layer_norm_kernel);

void layer_norm(const float* x, size_t rows, size_t width, const LayerNorm& norm, float* y) {
  HWY_DYNAMIC_DISPATCH(layer_norm_kernel)(x, rows, width, norm, y);
}

}  // namespace headway
#endif
