// Elementwise activation kernels.
//
// As all kernels: raw pointers, no allocation, no threads; memory outside x [n] and y [n] is
// neither read nor written. y may be x, but not overlap it otherwise. y[i] depends on x[i] and the
// SIMD target alone. NaN gives NaN.
#pragma once

#include <cstddef>

namespace headway {

// x Phi(x), Phi the normal distribution function: torch GELU(approximate="none"). Error below
// 1e-7 max(1, |x|); in the negative tail the relative error stays below (6 + 2 x^2) 2^-24.
// gelu(-inf) = 0 (PyTorch gives NaN), gelu(+inf) = +inf. Exactly 0 for x < -11.9.
void gelu_erf(const float* x, size_t n, float* y);

// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))): torch GELU(approximate="tanh"). Errors
// and limits as gelu_erf; exactly 0 for x < -9.3.
void gelu_tanh(const float* x, size_t n, float* y);

// max(x, 0), exact.
void relu(const float* x, size_t n, float* y);

// tanh(x), error below 3 ulp; +-1 at +-inf.
void tanh(const float* x, size_t n, float* y);

}  // namespace headway
