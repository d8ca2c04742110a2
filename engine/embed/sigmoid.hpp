// Logits to probabilities, each on its own.
#pragma once

#include <cmath>
#include <span>

namespace headway {

// 1 / (1 + exp(-x)), in double.
inline void apply_sigmoid(std::span<float> values) {
  for (float& value : values) value = static_cast<float>(1 / (1 + std::exp(-double{value})));
}

}  // namespace headway
