// Attention between rows of heads, as a layer.
#pragma once

#include <memory>

#include "engine/layers/layer.hpp"
#include "headway/layers.hpp"

namespace headway {

// What follows from a MultiHead layer's weights and options.
struct HeadSizes {
  int64_t heads, kv_heads, size, value_size;

  int64_t q_width() const { return heads * size; }
  int64_t kv_width() const { return kv_heads * (size + value_size); }
};

// Attention between rows of heads. Inputs: rows q | k | v, or, with keys of another stream
// (`cross`), rows q and rows k | v; then the bias or the past's rows k | v, where there are such.
// Outputs: y, the rows k | v where they are part of wider ones, and, without a past, the attention
// weights.
std::shared_ptr<const Layer> attention_layer(const HeadSizes& sizes,
                                             const MultiHeadOptions& options, bool cross);

}  // namespace headway
