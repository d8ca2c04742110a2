// Gated linear units: activation and product in one pass.
#include "engine/kernels/gate.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/gate.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/activation-inl.hpp"
#include "engine/kernels/partial-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

template <class Op>
void run(const float* x, size_t rows, size_t width, float* y) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t row = 0; row < rows; ++row, x += 2 * width, y += width) {
    size_t i = 0;
    for (; i + lanes <= width; i += lanes) {
      const auto opening = Op()(d, hn::LoadU(d, x + i));
      hn::StoreU(hn::Mul(opening, hn::LoadU(d, x + width + i)), d, y + i);
    }
    if (i == width) continue;
    const size_t rest = width - i;
    const auto opening = Op()(d, load_partial(d, x + i, rest));
    store_partial(d, hn::Mul(opening, load_partial(d, x + width + i, rest)), y + i, rest);
  }
}

void gate_kernel(const float* x, size_t rows, size_t width, Activation activation, float* y) {
  with_activation(activation, [&](auto op) HWY_ATTR { run<decltype(op)>(x, rows, width, y); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(gate_kernel);

void gate(const float* x, size_t rows, size_t width, Activation activation, float* y) {
  HWY_DYNAMIC_DISPATCH(gate_kernel)(x, rows, width, activation, y);
}

}  // namespace headway
#endif
