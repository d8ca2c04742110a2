// Chooses the kernel of an activation.
#pragma once

#include <cstddef>

#include "headway/operations.hpp"

namespace headway {

// y[i] = kind(x[i]) for i < n; y may be x. Activation::none copies.
void activate(Activation kind, const float* x, size_t n, float* y);

}  // namespace headway
