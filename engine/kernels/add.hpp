// Elementwise addition kernel.
#pragma once

#include <cstddef>
#include <span>

namespace headway {

// y[i] = terms[0][i] + terms[1][i] + ..., added in this order, for i < n; one term is copied, and
// there is at least one. y may be a term, but not overlap one otherwise. No allocation, no threads;
// memory outside [0, n) is neither read nor written.
void add(std::span<const float* const> terms, size_t n, float* y);

}  // namespace headway
