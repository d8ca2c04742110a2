// Elementwise activation kernels.
//
// Both GELUs are computed as max(x, 0) - a Q(a) with a = |x| and Q(a) the weight the tail takes
// away: nothing cancels for negative x, where x (1 + erf) / 2 would lose all digits.
#include "engine/kernels/activation.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/activation.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/exp-inl.hpp"
#include "engine/kernels/normal_tail-inl.hpp"
#include "engine/kernels/row-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// max(x, 0) that keeps NaN on every target, which Max does not.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V positive_part(D d, V x) {
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);
}

void gelu_erf_kernel(const float* x, size_t n, float* y) {
  const hn::ScalableTag<float> d;
  map_row(d, x, n, y, [d](auto v) HWY_ATTR {
    // At 12 the tail is already 0: the bound keeps infinity out of 0 times infinity.
    const auto a = hn::Min(hn::Abs(v), hn::Set(d, 12.0f));
    return hn::NegMulAdd(a, normal_tail(d, a), positive_part(d, v));
  });
}

void gelu_tanh_kernel(const float* x, size_t n, float* y) {
  const hn::ScalableTag<float> d;
  map_row(d, x, n, y, [d](auto v) HWY_ATTR {
    // (1 - tanh(u)) / 2 = e / (1 + e) with e = exp(-2u); at a = 10, -2u is -87 and e is 0.
    const auto a = hn::Min(hn::Abs(v), hn::Set(d, 10.0f));
    const auto one = hn::Set(d, 1.0f);
    const auto inner = hn::MulAdd(hn::Mul(a, a), hn::Set(d, 0.044715f), one);
    const auto e = exp_or_zero(d, hn::Mul(hn::Mul(a, hn::Set(d, -1.5957691216057308f)), inner));
    return hn::NegMulAdd(a, hn::Div(e, hn::Add(e, one)), positive_part(d, v));
  });
}

void relu_kernel(const float* x, size_t n, float* y) {
  const hn::ScalableTag<float> d;
  map_row(d, x, n, y, [d](auto v) HWY_ATTR { return positive_part(d, v); });
}

void tanh_kernel(const float* x, size_t n, float* y) {
  const hn::ScalableTag<float> d;
  map_row(d, x, n, y, [d](auto v) HWY_ATTR {
    // tanh(a) = -m / (2 + m) with m = exp(-2a) - 1. From a = 10 on the result is 1; the bound is a
    // comparison, which keeps NaN, where Max would not.
    const auto lowest = hn::Set(d, -20.0f);
    const auto twice = hn::Mul(hn::Abs(v), hn::Set(d, -2.0f));
    const auto m = expm1(d, hn::IfThenElse(hn::Lt(twice, lowest), lowest, twice));
    return hn::CopySign(hn::Div(m, hn::Add(m, hn::Set(d, 2.0f))), v);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(gelu_erf_kernel);
HWY_EXPORT(gelu_tanh_kernel);
HWY_EXPORT(relu_kernel);
HWY_EXPORT(tanh_kernel);

void gelu_erf(const float* x, size_t n, float* y) {
  HWY_DYNAMIC_DISPATCH(gelu_erf_kernel)(x, n, y);
}

void gelu_tanh(const float* x, size_t n, float* y) {
  HWY_DYNAMIC_DISPATCH(gelu_tanh_kernel)(x, n, y);
}

void relu(const float* x, size_t n, float* y) {
  HWY_DYNAMIC_DISPATCH(relu_kernel)(x, n, y);
}

void tanh(const float* x, size_t n, float* y) {
  HWY_DYNAMIC_DISPATCH(tanh_kernel)(x, n, y);
}

}  // namespace headway
#endif
