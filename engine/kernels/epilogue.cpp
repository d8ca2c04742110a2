// Bias, activation and residual in one pass.
#include "engine/kernels/epilogue.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/epilogue.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/activation-inl.hpp"
#include "engine/kernels/partial-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

template <class Op, bool kBytes, bool kBias, bool kResidual>
void run(const Epilogue& e) {
  const hn::ScalableTag<float> d;
  [[maybe_unused]] const hn::RebindToSigned<decltype(d)> di;
  const size_t lanes = hn::Lanes(d);
  for (size_t row = 0; row < e.rows; ++row) {
    const float* product = static_cast<const float*>(e.product) + row * e.product_stride;
    const auto row_scale = hn::Set(d, kBytes ? e.bytes.row_scales[row] : 1.0f);
    const auto zero = hn::Set(di, kBytes ? e.bytes.row_zeros[row] : 0);
    const float* residual = kResidual ? e.residual + row * e.stride : nullptr;
    float* y = e.y + row * e.stride;
    const auto value = [&](size_t i, const auto& load) HWY_ATTR {
      auto v = load(product + i);
      if constexpr (kBytes) {
        // The loads move bits, whatever they mean.
        const auto column = reinterpret_cast<const float*>(e.bytes.column_sums + i);
        const auto shift = hn::Mul(zero, hn::BitCast(di, load(column)));
        const auto sum = hn::ConvertTo(d, hn::Sub(hn::BitCast(di, v), shift));
        v = hn::Mul(hn::Mul(sum, row_scale), load(e.bytes.column_scales + i));
      }
      if constexpr (kBias) v = hn::Add(v, load(e.bias + i));
      v = Op()(d, v);
      if constexpr (kResidual) v = hn::Add(v, load(residual + i));
      return v;
    };
    size_t i = 0;
    for (; i + lanes <= e.width; i += lanes) {
      hn::StoreU(value(i, [d](const float* p) HWY_ATTR { return hn::LoadU(d, p); }), d, y + i);
    }
    if (i == e.width) continue;
    const size_t rest = e.width - i;
    store_partial(d,
                  value(i, [d, rest](const float* p) HWY_ATTR { return load_partial(d, p, rest); }),
                  y + i, rest);
  }
}

template <class Op, bool kBytes>
void choose(const Epilogue& e) {
  if (e.bias != nullptr) {
    return e.residual != nullptr ? run<Op, kBytes, true, true>(e) : run<Op, kBytes, true, false>(e);
  }
  return e.residual != nullptr ? run<Op, kBytes, false, true>(e) : run<Op, kBytes, false, false>(e);
}

template <class Op>
void choose(const Epilogue& e) {
  return e.bytes.row_scales != nullptr ? choose<Op, true>(e) : choose<Op, false>(e);
}

void epilogue_kernel(const Epilogue& e) {
  with_activation(e.activation, [&](auto op) HWY_ATTR { choose<decltype(op)>(e); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(epilogue_kernel);

void epilogue(const Epilogue& e) {
  HWY_DYNAMIC_DISPATCH(epilogue_kernel)(e);
}

}  // namespace headway
#endif
