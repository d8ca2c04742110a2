// Element types, shapes, and views of tensors that somebody else owns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "headway/export.h"

namespace headway {

// Element types, named as in the safetensors format but in lower case.
enum class DType : uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean };

// Bytes of one element.
HEADWAY_API size_t size_of(DType type);
// "f32", "i64", ...
HEADWAY_API const char* to_string(DType type);

// The extents of a row-major tensor, outermost first, held without allocation. No extent is
// negative.
class HEADWAY_API Shape {
 public:
  static constexpr size_t kMaxRank = 8;

  Shape() = default;  // rank 0: a scalar
  // Error(invalid_argument) on a negative extent or more than kMaxRank of them.
  Shape(std::initializer_list<int64_t> extents)
      : Shape(std::span(extents.begin(), extents.size())) {}
  explicit Shape(std::span<const int64_t> extents);

  size_t rank() const { return rank_; }
  int64_t operator[](size_t axis) const { return extents_[axis]; }
  const int64_t* begin() const { return extents_.data(); }
  const int64_t* end() const { return extents_.data() + rank_; }

  // Number of elements; Error(limit) when it does not fit 63 bits.
  int64_t elements() const;
  // "[2, 10, 64]"
  std::string to_string() const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<int64_t, kMaxRank> extents_{};  // zero beyond rank_, so that == may compare all
  uint8_t rank_ = 0;
};

// A dense row-major tensor in memory that the view does not own. The data may be unaligned.
struct HEADWAY_API TensorView {
  const void* data = nullptr;
  DType dtype = DType::f32;
  Shape shape;

  TensorView() = default;
  TensorView(const void* data, DType dtype, Shape shape) : data(data), dtype(dtype), shape(shape) {}
  TensorView(const float* data, Shape shape) : TensorView(data, DType::f32, shape) {}
  TensorView(const int32_t* data, Shape shape) : TensorView(data, DType::i32, shape) {}

  // Error(limit) on overflow.
  size_t bytes() const;
};

// The same, writable.
struct MutableTensorView {
  void* data = nullptr;
  DType dtype = DType::f32;
  Shape shape;

  MutableTensorView() = default;
  MutableTensorView(float* data, Shape shape) : data(data), dtype(DType::f32), shape(shape) {}
};

}  // namespace headway
