// Runs the exp of the kernels over an array. The kernels use it only inside larger formulas, so
// this is the one file outside engine/kernels that includes Highway.
#include "tests/kernels/exp_probe.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/kernels/exp_probe.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/exp-inl.hpp"
#include "engine/kernels/row-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {

void probe_exp_kernel(const float* x, size_t n, float* y) {
  const hwy::HWY_NAMESPACE::ScalableTag<float> d;
  map_row(d, x, n, y, [d](auto v) HWY_ATTR { return exp_or_zero(d, v); });
}

void probe_exp2_scaled_kernel(const float* x, size_t n, float factor, float* y) {
  const hwy::HWY_NAMESPACE::ScalableTag<float> d;
  const auto scale = hwy::HWY_NAMESPACE::Set(d, factor);
  map_row(d, x, n, y, [d, scale](auto v) HWY_ATTR { return exp2_scaled_or_zero(d, v, scale); });
}

void probe_expm1_kernel(const float* x, size_t n, float* y) {
  const hwy::HWY_NAMESPACE::ScalableTag<float> d;
  map_row(d, x, n, y, [d](auto v) HWY_ATTR { return expm1(d, v); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(probe_exp_kernel);
HWY_EXPORT(probe_expm1_kernel);
HWY_EXPORT(probe_exp2_scaled_kernel);

namespace test {

void probe_exp(const float* x, size_t n, float* y) {
  HWY_DYNAMIC_DISPATCH(probe_exp_kernel)(x, n, y);
}

void probe_expm1(const float* x, size_t n, float* y) {
  HWY_DYNAMIC_DISPATCH(probe_expm1_kernel)(x, n, y);
}

void probe_exp2_scaled(const float* x, size_t n, float factor, float* y) {
  HWY_DYNAMIC_DISPATCH(probe_exp2_scaled_kernel)(x, n, factor, y);
}

}  // namespace test
}  // namespace headway
#endif
