// exp and expm1 of a vector of floats.
//
// x = k ln 2 + r with |r| <= ln(2)/2, exp(x) = 2^k (1 + p) with p = r + r^2 q(r), where q is a
// minimax polynomial of degree 4 (scripts/fit_polynomials.py; its own error is 0.06 x 2^-24). The
// error of the whole is below 1 ulp on [kExpLowest, kExpHighest] on every target, with and without
// fused multiply-add; tests/kernels/exp_test.cpp checks it.
#if defined(HEADWAY_ENGINE_KERNELS_EXP_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADWAY_ENGINE_KERNELS_EXP_INL_HPP_
#undef HEADWAY_ENGINE_KERNELS_EXP_INL_HPP_
#else
#define HEADWAY_ENGINE_KERNELS_EXP_INL_HPP_
#endif

#include "engine/kernels/exp_range.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// exp(x) = power * (1 + p), for x in [kExpLowest, kExpHighest]; p is NaN for NaN and unspecified
// beyond the range.
template <class V>
struct ExpParts {
  V power;  // 2^k
  V p;      // about exp(r) - 1, in [-0.3, 0.42]
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE ExpParts<V> exp_parts(D d, V x) {
  // Adding 1.5 x 2^23 rounds to the nearest integer and leaves it in the low mantissa bits: this
  // needs neither a rounding nor a conversion instruction, which SSSE3 and scalar code lack.
  const auto magic = hn::Set(d, 12582912.0f);
  const auto shifted = hn::MulAdd(x, hn::Set(d, 1.44269504088896341f), magic);
  const auto k = hn::Sub(shifted, magic);
  // ln 2 in two parts; the high one has 9 significant bits, so that its product with k is exact.
  const auto r =
      hn::NegMulAdd(k, hn::Set(d, -2.12194440e-4f), hn::NegMulAdd(k, hn::Set(d, 0.693359375f), x));
  auto q = hn::Set(d, 0.0013814599f);
  q = hn::MulAdd(q, r, hn::Set(d, 0.008368717f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.04166839f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.16666521f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.49999994f));
  const auto p = hn::MulAdd(hn::Mul(r, r), q, r);
  const hn::RebindToUnsigned<D> du;
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(du, shifted));
  const auto one = hn::BitCast(du, hn::Set(d, 1.0f));
  return {hn::BitCast(d, hn::Add(exponent, one)), p};
}

// exp(x) for x <= kExpHighest; exactly 0 below kExpLowest (-inf included), NaN for NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_or_zero(D d, V x) {
  const auto parts = exp_parts(d, x);
  const auto result = hn::MulAdd(parts.power, parts.p, parts.power);
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, kExpLowest)), hn::Zero(d), result);
}

// 2^(factor x) for x <= 0 and factor > 0, exactly 0 where factor x is below -125; NaN for NaN. With
// k the integer nearest to factor x, r = factor x - k comes from one fused multiply: 2^k p(r), p of
// degree 6, whose own error is 0.03 x 2^-24. Below 2 ulp; without fused multiply-add the rounding
// of factor x adds up to |factor x| ulp. Four operations fewer than exp_or_zero of a product.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp2_scaled_or_zero(D d, V x, V factor) {
  const auto magic = hn::Set(d, 12582912.0f);  // 1.5 x 2^23, as above
  const auto shifted = hn::MulAdd(x, factor, magic);
  const auto r = hn::MulSub(x, factor, hn::Sub(shifted, magic));
  auto p = hn::Set(d, 0.00015345812f);
  p = hn::MulAdd(p, r, hn::Set(d, 0.0013399931f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.009618489f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.055503286f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.24022646f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.6931472f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  const hn::RebindToUnsigned<D> du;
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(du, shifted));
  const auto power = hn::BitCast(d, hn::Add(exponent, hn::BitCast(du, hn::Set(d, 1.0f))));
  const auto result = hn::Mul(p, power);  // a product, not a sum of bits: it keeps every NaN
  return hn::IfThenElse(hn::Lt(shifted, hn::Set(d, 12582912.0f - 125.0f)), hn::Zero(d), result);
}

// exp(x) - 1 for x in [kExpLowest, kExpHighest], NaN for NaN; relative precision also near 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1(D d, V x) {
  const auto parts = exp_parts(d, x);
  return hn::MulAdd(parts.power, parts.p, hn::Sub(parts.power, hn::Set(d, 1.0f)));
}

}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#endif  // include guard, once per target
