// Runs the exp of the kernels over an array on the current target, for the tests alone.
#pragma once

#include <cstddef>

namespace headway::test {

void probe_exp(const float* x, size_t n, float* y);
void probe_expm1(const float* x, size_t n, float* y);
// exp2_scaled_or_zero with one factor for all.
void probe_exp2_scaled(const float* x, size_t n, float factor, float* y);

}  // namespace headway::test
