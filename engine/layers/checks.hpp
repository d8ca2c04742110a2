// Checks that layers share when they infer their outputs.
#pragma once

#include <span>

#include "engine/base/message.hpp"
#include "headway/graph.hpp"
#include "headway/weights.hpp"

namespace headway {

// "weight" or `weight (model.safetensors: tensor "x")`.
std::string describe(const char* role, const Weight& weight);

// Error unless the weight is there, is f32, f16 or bf16, and has this shape (-1: any extent of at
// least 1).
void expect_weight(const char* role, const Weight& weight, std::span<const int64_t> shape);
inline void expect_weight(const char* role, const Weight& weight,
                          std::initializer_list<int64_t> shape) {
  expect_weight(role, weight, std::span(shape.begin(), shape.size()));
}

// Error unless the value is f32 (and of this width, unless that is -1).
void expect_f32(const char* role, const ValueType& type, int64_t width = -1);

// Error for attention weights, which lie head after head: they have no rows of `width` elements.
void expect_rows(const char* role, const ValueType& type);

// Error unless the value has a row for each token.
void expect_tokens(const char* role, const ValueType& type);

}  // namespace headway
