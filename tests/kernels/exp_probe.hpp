// Runs the exp of the kernels over an array on the current target, for the tests alone.
#pragma once

#include <cstddef>

namespace headway::test {

void probe_exp(const float* x, size_t n, float* y);
void probe_expm1(const float* x, size_t n, float* y);

}  // namespace headway::test
