// Shapes and element types.
#include "headway/tensor.hpp"

#include "engine/base/checked.hpp"
#include "engine/base/message.hpp"

namespace headway {

size_t size_of(DType type) {
  switch (type) {
    case DType::f64:
    case DType::i64:
      return 8;
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::f16:
    case DType::bf16:
    case DType::i16:
      return 2;
    case DType::i8:
    case DType::u8:
    case DType::boolean:
      return 1;
  }
  fail(ErrorCode::internal, "element type ", static_cast<int>(type), " is not known");
}

const char* to_string(DType type) {
  switch (type) {
    case DType::f64:
      return "f64";
    case DType::f32:
      return "f32";
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::i64:
      return "i64";
    case DType::i32:
      return "i32";
    case DType::i16:
      return "i16";
    case DType::i8:
      return "i8";
    case DType::u8:
      return "u8";
    case DType::boolean:
      return "bool";
  }
  return "unknown";
}

Shape::Shape(std::span<const int64_t> extents) {
  if (extents.size() > kMaxRank) {
    fail(ErrorCode::invalid_argument, "a shape of rank ", extents.size(), ", at most ", kMaxRank,
         " is supported");
  }
  for (int64_t extent : extents) {
    if (extent < 0) fail(ErrorCode::invalid_argument, "a shape with the negative extent ", extent);
    extents_[rank_++] = extent;
  }
}

int64_t Shape::elements() const {
  int64_t product = 1;
  // A zero anywhere makes the product zero, even where the other extents alone would overflow.
  for (int64_t extent : *this) {
    if (extent == 0) return 0;
  }
  for (int64_t extent : *this) product = checked_mul(product, extent, "elements of a shape");
  return product;
}

std::string Shape::to_string() const {
  std::string text = "[";
  for (size_t axis = 0; axis < rank_; ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(extents_[axis]);
  }
  return text + "]";
}

size_t TensorView::bytes() const {
  return checked_mul(checked_cast<size_t>(shape.elements(), "elements"), size_of(dtype),
                     "bytes of a tensor");
}

}  // namespace headway
