// Messages of failed checks.
#include "engine/layers/checks.hpp"

namespace headway {
namespace {

std::string pattern(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += shape[i] < 0 ? "any" : std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace

std::string describe(const char* role, const Weight& weight) {
  return weight.name().empty() ? role : cat(role, " (", weight.name(), ")");
}

void expect_weight(const char* role, const Weight& weight, std::span<const int64_t> shape) {
  if (!weight)
    fail(ErrorCode::invalid_argument, role, " is missing, expected the shape ", pattern(shape));
  const DType dtype = weight.view().dtype;
  if (dtype != DType::f32 && dtype != DType::f16 && dtype != DType::bf16) {
    fail(ErrorCode::invalid_argument, describe(role, weight), " has the type ", to_string(dtype),
         ", expected f32, f16 or bf16");
  }
  bool fits = weight.shape().rank() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    fits = shape[i] < 0 ? weight.shape()[i] >= 1 : weight.shape()[i] == shape[i];
  }
  if (!fits) {
    fail(ErrorCode::invalid_argument, describe(role, weight), " has the shape ",
         weight.shape().to_string(), ", expected ", pattern(shape));
  }
}

void expect_f32(const char* role, const ValueType& type, int64_t width) {
  if (type.dtype != DType::f32) {
    fail(ErrorCode::invalid_argument, role, " is ", type.to_string(), ", expected f32");
  }
  if (width >= 0 && type.width != width) {
    fail(ErrorCode::invalid_argument, role, " is ", type.to_string(), ", expected the width ",
         width);
  }
}

void expect_rows(const char* role, const ValueType& type) {
  if (type.rows.kind == RowSpace::Kind::pairs) {
    fail(ErrorCode::invalid_argument, role, " is ", type.to_string(),
         ", expected rows of tokens or of sequences");
  }
}

void expect_tokens(const char* role, const ValueType& type) {
  if (type.rows.kind != RowSpace::Kind::tokens)
    fail(ErrorCode::invalid_argument, role, " is ", type.to_string(), ", expected rows of tokens");
}

}  // namespace headway
