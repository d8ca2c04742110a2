// Elementwise addition kernel.
#include "engine/kernels/add.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/add.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/partial-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

void add_kernel(const float* a, const float* b, size_t n, float* y) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, y + i);
  if (i < n) {
    const size_t rest = n - i;
    store_partial(d, hn::Add(load_partial(d, a + i, rest), load_partial(d, b + i, rest)), y + i,
                  rest);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(add_kernel);

void add(const float* a, const float* b, size_t n, float* y) {
  HWY_DYNAMIC_DISPATCH(add_kernel)(a, b, n, y);
}

}  // namespace headway
#endif
