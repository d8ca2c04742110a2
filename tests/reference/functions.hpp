// Oracles: the functions of the engine, written for clarity, in scalar double precision. They are
// the only truth the kernel tests measure against.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace headway::reference {

// Each value of `x` as a double.
std::vector<double> widen(std::span<const float> x);

// exp(scale x[i] - m) / sum_j exp(scale x[j] - m) with m = max_j scale x[j]; zeros when every value
// is -inf; empty for an empty row.
std::vector<double> softmax(std::span<const double> x, double scale);

// torch.nn.LayerNorm over one row: population variance. `beta` may be empty (no shift).
std::vector<double> layer_norm(std::span<const double> x, std::span<const double> gamma,
                               std::span<const double> beta, double eps);

// x Phi(x), as torch GELU(approximate="none"); by erfc, so that negative x keep their digits.
double gelu_erf(double x);

// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), as torch GELU(approximate="tanh").
double gelu_tanh(double x);

// x / (1 + exp(-x)), as torch SiLU.
double silu(double x);

// Column means of x [rows, width]; zeros when rows == 0.
std::vector<double> mean_rows(std::span<const double> x, size_t rows, size_t width);

// x / max(||x||_2, eps), as torch.nn.functional.normalize over one row.
std::vector<double> l2_normalize(std::span<const double> x, double eps);

// y = x W^T + b: x [rows, in], weight [out, in] as torch.nn.Linear stores it, bias [out] or empty;
// the result is [rows, out].
std::vector<double> linear(std::span<const double> x, size_t rows, std::span<const double> weight,
                           std::span<const double> bias);

}  // namespace headway::reference
