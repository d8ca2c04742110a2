// The formulas of the activations, on vectors.
//
// Both GELUs are computed as max(x, 0) - a Q(a) with a = |x| and Q(a) the weight the tail takes
// away: nothing cancels for negative x, where x (1 + erf) / 2 would lose all digits.
#if defined(HEADWAY_ENGINE_KERNELS_ACTIVATION_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADWAY_ENGINE_KERNELS_ACTIVATION_INL_HPP_
#undef HEADWAY_ENGINE_KERNELS_ACTIVATION_INL_HPP_
#else
#define HEADWAY_ENGINE_KERNELS_ACTIVATION_INL_HPP_
#endif

#include "engine/kernels/exp-inl.hpp"
#include "engine/kernels/normal_tail-inl.hpp"
#include "headway/operations.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Each is a function object: op(d, v). NaN gives NaN.

// max(x, 0), exact, that keeps NaN on every target, which Max does not.
struct Relu {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);
  }
};

// x Phi(x), Phi the normal distribution function: torch GELU(approximate="none"). Error below
// 1e-7 max(1, |x|); in the negative tail the relative error stays below (6 + 2 x^2) 2^-24.
// gelu(-inf) = 0 (PyTorch gives NaN), gelu(+inf) = +inf. Exactly 0 for x < -11.9.
struct GeluErf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    // At 12 the tail is already 0: the bound keeps infinity out of 0 times infinity.
    const auto a = hn::Min(hn::Abs(x), hn::Set(d, 12.0f));
    return hn::NegMulAdd(a, normal_tail(d, a), Relu()(d, x));
  }
};

// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))): torch GELU(approximate="tanh"). Errors and
// limits as GeluErf; exactly 0 for x < -9.3.
struct GeluTanh {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    // (1 - tanh(u)) / 2 = e / (1 + e) with e = exp(-2u); at a = 10, -2u is -87 and e is 0.
    const auto a = hn::Min(hn::Abs(x), hn::Set(d, 10.0f));
    const auto one = hn::Set(d, 1.0f);
    const auto inner = hn::MulAdd(hn::Mul(a, a), hn::Set(d, 0.044715f), one);
    const auto e = exp_or_zero(d, hn::Mul(hn::Mul(a, hn::Set(d, -1.5957691216057308f)), inner));
    return hn::NegMulAdd(a, hn::Div(e, hn::Add(e, one)), Relu()(d, x));
  }
};

// tanh(x), error below 3 ulp; +-1 at +-inf.
struct Tanh {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    // tanh(a) = -m / (2 + m) with m = exp(-2a) - 1. From a = 10 on the result is 1; the bound is a
    // comparison, which keeps NaN, where Max would not.
    const auto lowest = hn::Set(d, -20.0f);
    const auto twice = hn::Mul(hn::Abs(x), hn::Set(d, -2.0f));
    const auto m = expm1(d, hn::IfThenElse(hn::Lt(twice, lowest), lowest, twice));
    return hn::CopySign(hn::Div(m, hn::Add(m, hn::Set(d, 2.0f))), x);
  }
};

// x / (1 + exp(-x)): torch SiLU. Error below 1e-7 max(1, |x|). silu(-inf) = 0 (PyTorch gives NaN),
// silu(+inf) = +inf. Exactly 0 for x < -70.
struct Silu {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    // At 71 exp(-a) is already 0: the bound keeps infinity out of 0 times infinity.
    const auto a = hn::Min(hn::Abs(x), hn::Set(d, 71.0f));
    const auto e = exp_or_zero(d, hn::Neg(a));
    return hn::NegMulAdd(a, hn::Div(e, hn::Add(e, hn::Set(d, 1.0f))), Relu()(d, x));
  }
};

struct Identity {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return x;
  }
};

// body(op) with the function object of `activation`.
template <class Body>
HWY_INLINE void with_activation(Activation activation, const Body& body) {
  switch (activation) {
    case Activation::none:
      return body(Identity());
    case Activation::gelu_erf:
      return body(GeluErf());
    case Activation::gelu_tanh:
      return body(GeluTanh());
    case Activation::relu:
      return body(Relu());
    case Activation::tanh:
      return body(Tanh());
    case Activation::silu:
      return body(Silu());
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#endif  // include guard, once per target
