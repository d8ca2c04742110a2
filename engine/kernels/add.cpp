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

void add_kernel(std::span<const float* const> terms, size_t n, float* y) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto sum = [terms](size_t i, const auto& load) HWY_ATTR {
    auto v = load(terms[0] + i);
    for (size_t term = 1; term < terms.size(); ++term) v = hn::Add(v, load(terms[term] + i));
    return v;
  };
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(sum(i, [d](const float* p) HWY_ATTR { return hn::LoadU(d, p); }), d, y + i);
  if (i < n) {
    const size_t rest = n - i;
    const auto load = [d, rest](const float* p) HWY_ATTR { return load_partial(d, p, rest); };
    store_partial(d, sum(i, load), y + i, rest);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(add_kernel);

void add(std::span<const float* const> terms, size_t n, float* y) {
  HWY_DYNAMIC_DISPATCH(add_kernel)(terms, n, y);
}

}  // namespace headway
#endif
