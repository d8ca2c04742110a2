// Kernel of gated linear units: one half of a row decides how much of the other passes.
//
// As all kernels: raw pointers, no allocation, no threads; memory outside the given rows is neither
// read nor written. The bits of an element depend on its two values, the activation and the SIMD
// target alone.
#pragma once

#include <cstddef>

#include "headway/operations.hpp"

namespace headway {

// y[r, i] = activation(x[r, i]) * x[r, width + i] over x [rows, 2 width] and y [rows, width], which
// do not overlap.
void gate(const float* x, size_t rows, size_t width, Activation activation, float* y);

}  // namespace headway
