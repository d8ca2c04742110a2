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
  // [rows, width] at product_stride: float, or int32_t where there are scales.
  const void* product = nullptr;
  const float* row_scales = nullptr;     // [rows] or absent
  const float* column_scales = nullptr;  // [width], present if and only if row_scales is
  const float* bias = nullptr;           // [width] or absent
  const float* residual = nullptr;       // [rows, width] at stride, or absent; may be y
  float* y = nullptr;                    // [rows, width] at stride
  size_t rows = 0, width = 0;
  size_t product_stride = 0, stride = 0;  // in elements
  Activation activation = Activation::none;
};

// y = activation(product * row_scale * column_scale + bias) + residual.
void epilogue(const Epilogue& e);

}  // namespace headway
