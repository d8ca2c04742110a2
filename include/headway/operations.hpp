// What layers and the operations beneath them both speak of; operations know no graph.
#pragma once

#include <cstdint>

#include "headway/export.h"
#include "headway/weights.hpp"

namespace headway {

// Weights of a Linear: weight [out, in], bias [out] or absent.
struct LinearWeights {
  Weight weight;
  Weight bias;
};

enum class Activation : uint8_t { none, gelu_erf, gelu_tanh, relu, tanh, silu };
// "gelu_erf", ...
HEADWAY_API const char* to_string(Activation activation);

// What the products of Linear layers are computed in. Everything between them is f32, but that
// bf16 and int8 let attention (the default strategy, on CPUs with AVX512_BF16) round its queries,
// keys, weights and values to bfloat16 for its products; its scores, softmax and sums stay f32.
//   f32   weights and inputs f32
//   bf16  weights and inputs rounded to bfloat16, sums in f32
//   int8  weights scaled per output, inputs per row from its least to its greatest number, both
//         rounded to 8 bits; sums exact in 32 bits
enum class Precision : uint8_t { f32, bf16, int8 };
// "f32", "bf16", "int8"
HEADWAY_API const char* to_string(Precision precision);

// How attention scores are computed; every strategy gives the same result within rounding. See
// engine/ops/attention.hpp for the list and when each is chosen.
enum class AttentionStrategy : uint8_t { automatic, materialized, tiled };

}  // namespace headway
