// The tail of the normal distribution, the heart of the erf form of GELU.
#if defined(HEADWAY_ENGINE_KERNELS_NORMAL_TAIL_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADWAY_ENGINE_KERNELS_NORMAL_TAIL_INL_HPP_
#undef HEADWAY_ENGINE_KERNELS_NORMAL_TAIL_INL_HPP_
#else
#define HEADWAY_ENGINE_KERNELS_NORMAL_TAIL_INL_HPP_
#endif

#include "engine/kernels/exp-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Phi(-a) = (1 - erf(a / sqrt 2)) / 2 for a in [0, 12.7], as exp(-a^2/2) times a minimax quotient
// (scripts/fit_polynomials.py; its own error is 0.08 x 2^-24; all coefficients are positive, so
// nothing cancels). The relative error grows like a^2/2 x 2^-24 because a^2 is rounded, but
// a Phi(-a) falls faster: its absolute error stays below 1e-8.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V normal_tail(D d, V a) {
  auto p = hn::Set(d, 0.0039677154f);
  p = hn::MulAdd(p, a, hn::Set(d, 0.039627533f));
  p = hn::MulAdd(p, a, hn::Set(d, 0.18024302f));
  p = hn::MulAdd(p, a, hn::Set(d, 0.43423995f));
  p = hn::MulAdd(p, a, hn::Set(d, 0.5f));
  auto q = hn::Set(d, 0.00994543f);
  q = hn::MulAdd(q, a, hn::Set(d, 0.09933943f));
  q = hn::MulAdd(q, a, hn::Set(d, 0.46157324f));
  q = hn::MulAdd(q, a, hn::Set(d, 1.1900489f));
  q = hn::MulAdd(q, a, hn::Set(d, 1.6663648f));
  q = hn::MulAdd(q, a, hn::Set(d, 1.0f));
  const auto bell = exp_or_zero(d, hn::Mul(hn::Mul(a, a), hn::Set(d, -0.5f)));
  return hn::Mul(bell, hn::Div(p, q));
}

}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#endif  // include guard, once per target
