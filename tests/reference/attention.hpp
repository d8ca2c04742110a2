// Oracles: attention of one sequence and the MultiHead layer, in scalar double precision.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace headway::reference {

// `count` rows; row i starts at data + i * stride. Rows of a wider array are such a view.
struct Rows {
  const double* data;
  size_t count;
  size_t stride;
};

struct AttentionResult {
  std::vector<double> output;   // attention: [queries, heads * size]; multi_head: [rows, dim]
  std::vector<double> weights;  // [heads, queries, keys] of each sequence, one after the other
};

// softmax(scale q_h k_h^T) v_h for each head h of one sequence. The rows of q, k and v hold heads *
// size values, head by head. With no keys the output is 0.
AttentionResult attention(const Rows& q, const Rows& k, const Rows& v, size_t heads, size_t size,
                          double scale);

// The weights of a MultiHead layer, as its PyTorch state dict holds them; biases may be empty.
struct MultiHeadWeights {
  std::span<const double> qkv_weight;  // [3 * dim, dim]
  std::span<const double> qkv_bias;    // [3 * dim] or empty
  std::span<const double> out_weight;  // [dim, dim]
  std::span<const double> out_bias;    // [dim] or empty
};

// The MultiHead layer over the sequences of a batch, whose rows are packed without padding:
// q, k, v = Linear(x).chunk(3), attention with scale 1 / sqrt(dim / heads), Linear.
// x [sum of lengths, dim].
AttentionResult multi_head(std::span<const double> x, std::span<const size_t> lengths, size_t heads,
                           const MultiHeadWeights& weights);

}  // namespace headway::reference
