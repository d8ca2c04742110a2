// Rounding rows to bf16 and int8.
#include "engine/kernels/quantize.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/quantize.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/partial-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Float = hn::ScalableTag<float>;

// Calls body(values, i) for each vector of x, the last filled up with zeros.
template <class Body>
HWY_INLINE void for_each_vector(const float* x, size_t n, const Body& body) {
  const Float d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) body(hn::LoadU(d, x + i), i);
  if (i < n) body(load_partial(d, x + i, n - i), i);
}

// Stores a vector of narrow values at y + i, as far as y goes.
template <class D, class V, typename T>
HWY_INLINE void store_narrow(D d, V v, T* y, size_t i, size_t n) {
  const size_t lanes = hn::Lanes(d);
  if (i + lanes <= n) return hn::StoreU(v, d, y + i);
  HWY_ALIGN T rest[HWY_MAX(1, hn::MaxLanes(D()))];
  hn::Store(v, d, rest);
  std::copy_n(rest, n - i, y + i);
}

void to_bf16_kernel(const float* x, size_t n, uint16_t* y) {
  const hn::RebindToUnsigned<Float> du;
  const hn::RebindToSigned<Float> di;
  const hn::Rebind<uint16_t, Float> d16;
  for_each_vector(x, n, [&](auto v, size_t i) HWY_ATTR {
    const auto bits = hn::BitCast(du, v);
    const auto upper = hn::ShiftRight<16>(bits);
    // Half of the last place kept, a bit less when that place is even.
    const auto half = hn::Add(hn::Set(du, 0x7fff), hn::And(upper, hn::Set(du, 1)));
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, half));
    const auto quiet = hn::Or(upper, hn::Set(du, 0x40));  // a NaN must not be rounded to infinity
    const auto result = hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), quiet, rounded);
    store_narrow(d16, hn::DemoteTo(d16, hn::BitCast(di, result)), y, i, n);
  });
}

float to_int8_kernel(const float* x, size_t n, int8_t* y) {
  const Float d;
  const hn::RebindToSigned<Float> di;
  const hn::Rebind<int8_t, Float> d8;
  // Magnitudes as integers, where a NaN is the largest.
  auto most = hn::Zero(di);
  for_each_vector(
      x, n, [&](auto v, size_t) HWY_ATTR { most = hn::Max(most, hn::BitCast(di, hn::Abs(v))); });
  const float largest = hn::GetLane(hn::BitCast(d, hn::MaxOfLanes(di, most)));
  // The inverse of what is smaller than this could overflow.
  if (largest < 1e-30f) {
    std::fill_n(y, n, int8_t{0});
    return 0.0f;
  }
  const auto inverse = hn::Set(d, 127.0f / largest);
  for_each_vector(x, n, [&](auto v, size_t i) HWY_ATTR {
    store_narrow(d8, hn::DemoteTo(d8, hn::NearestInt(hn::Mul(v, inverse))), y, i, n);
  });
  return largest / 127.0f;
}

ByteScale to_uint8_kernel(const float* x, size_t n, uint8_t* y) {
  const Float d;
  const hn::RebindToSigned<Float> di;
  const hn::Rebind<uint8_t, Float> d8;
  auto low = hn::Zero(d), high = hn::Zero(d);
  auto most = hn::Zero(di);  // magnitudes as integers: Min and Max may drop a NaN
  for_each_vector(x, n, [&](auto v, size_t) HWY_ATTR {
    low = hn::Min(low, v);
    high = hn::Max(high, v);
    most = hn::Max(most, hn::BitCast(di, hn::Abs(v)));
  });
  const float least = hn::GetLane(hn::MinOfLanes(d, low));
  const float scale = hn::GetLane(hn::MaxOfLanes(d, high)) / 255.0f - least / 255.0f;
  const bool finite = hn::GetLane(hn::MaxOfLanes(di, most)) < 0x7f800000;
  // The inverse of what is smaller than this could overflow.
  if (!finite || scale < 1e-30f) {
    std::fill_n(y, n, uint8_t{0});
    return {finite ? 0.0f : std::numeric_limits<float>::quiet_NaN(), 0};
  }
  const float inverse = 1.0f / scale;
  const auto zero = hn::NearestInt(hn::Set(d, -least * inverse));
  const auto factor = hn::Set(d, inverse), offset = hn::ConvertTo(d, zero);
  for_each_vector(x, n, [&](auto v, size_t i) HWY_ATTR {
    const auto byte = hn::NearestInt(hn::MulAdd(v, factor, offset));
    store_narrow(d8, hn::DemoteTo(d8, byte), y, i, n);
  });
  return {scale, hn::GetLane(zero)};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(to_bf16_kernel);
HWY_EXPORT(to_int8_kernel);
HWY_EXPORT(to_uint8_kernel);

void to_bf16(const float* x, size_t n, uint16_t* y) {
  HWY_DYNAMIC_DISPATCH(to_bf16_kernel)(x, n, y);
}

float to_int8(const float* x, size_t n, int8_t* y) {
  return HWY_DYNAMIC_DISPATCH(to_int8_kernel)(x, n, y);
}

ByteScale to_uint8(const float* x, size_t n, uint8_t* y) {
  return HWY_DYNAMIC_DISPATCH(to_uint8_kernel)(x, n, y);
}

}  // namespace headway
#endif
