// Elementwise addition kernel.
#pragma once

#include <cstddef>

namespace headway {

// y[i] = a[i] + b[i] for i < n. y may be a or b, but not overlap them otherwise. No allocation, no
// threads; memory outside [0, n) is neither read nor written.
void add(const float* a, const float* b, size_t n, float* y);

}  // namespace headway
