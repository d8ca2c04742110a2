// What follows a matrix product, in one pass over it; without bias and residual, an activation
// alone (engine/kernels/activation-inl.hpp).
//
// As all kernels: raw pointers, no allocation, no threads; memory outside the given rows is neither
// read nor written. The bits of an element depend on the values it is made of and the SIMD target
// alone, and are those of adding, activating and adding one after the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "headway/operations.hpp"

namespace headway {

// What turns a product of bytes, rows that stand for row_scale (byte - zero) with columns that
// stand for column_scale * byte, into numbers.
struct ByteProduct {
  const float* row_scales = nullptr;     // [rows]
  const int32_t* row_zeros = nullptr;    // [rows]
  const float* column_scales = nullptr;  // [width]
  const int32_t* column_sums = nullptr;  // [width], of a column's bytes
};

struct Epilogue {
  // [rows, width] at product_stride: float, or int32_t where `bytes` has scales.
  const void* product = nullptr;
  ByteProduct bytes = {};           // all of it, or nothing
  const float* bias = nullptr;      // [width] or absent
  const float* residual = nullptr;  // [rows, width] at stride, or absent; may be y
  float* y = nullptr;               // [rows, width] at stride
  size_t rows = 0, width = 0;
  size_t product_stride = 0, stride = 0;  // in elements
  Activation activation = Activation::none;
};

// y = activation(product + bias) + residual, where the product of bytes is
// (product - zero * column_sum) * row_scale * column_scale, its brackets exact in 32 bits.
void epilogue(const Epilogue& e);

}  // namespace headway
