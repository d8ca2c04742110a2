// What follows a matrix product, in one pass over it.
//
// As all kernels: raw pointers, no allocation, no threads; memory outside the given rows is neither
// read nor written. The bits of an element depend on the values it is made of and the SIMD target
// alone, and are those of adding, activating and adding one after the other.
#pragma once

#include <cstddef>

#include "headway/operations.hpp"

namespace headway {

struct Epilogue {
  const float* product = nullptr;   // [rows, width] at product_stride
  const float* bias = nullptr;      // [width] or absent
  const float* residual = nullptr;  // [rows, width] at stride, or absent; may be y
  float* y = nullptr;               // [rows, width] at stride
  size_t rows = 0, width = 0;
  size_t product_stride = 0, stride = 0;  // in elements
  Activation activation = Activation::none;
};

// y = activation(product + bias) + residual.
void epilogue(const Epilogue& e);

}  // namespace headway
