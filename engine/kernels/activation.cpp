// Elementwise activation kernels.
#include "engine/kernels/activation.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/activation.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/activation-inl.hpp"
#include "engine/kernels/row-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

template <class Op>
HWY_INLINE void map(const float* x, size_t n, float* y) {
  const hn::ScalableTag<float> d;
  map_row(d, x, n, y, [d](auto v) HWY_ATTR { return Op()(d, v); });
}

void gelu_erf_kernel(const float* x, size_t n, float* y) {
  map<GeluErf>(x, n, y);
}

void gelu_tanh_kernel(const float* x, size_t n, float* y) {
  map<GeluTanh>(x, n, y);
}

void relu_kernel(const float* x, size_t n, float* y) {
  map<Relu>(x, n, y);
}

void tanh_kernel(const float* x, size_t n, float* y) {
  map<Tanh>(x, n, y);
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
