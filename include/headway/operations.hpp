// What layers and the operations beneath them both speak of; operations know no graph.
#pragma once

#include <cstdint>

#include "headway/weights.hpp"

namespace headway {

// Weights of a Linear: weight [out, in], bias [out] or absent.
struct LinearWeights {
  Weight weight;
  Weight bias;
};

enum class Activation : uint8_t { none, gelu_erf, gelu_tanh, relu, tanh };
// "gelu_erf", ...
const char* to_string(Activation activation);

// How attention scores are computed; every strategy gives the same result within rounding. See
// engine/ops/attention.hpp for the list and when each is chosen.
enum class AttentionStrategy : uint8_t { automatic, materialized, tiled };

}  // namespace headway
