// The layers a graph is built of. Each function checks shapes, adds to the graph and returns the
// new value; an Error (invalid_argument) names the layer, what was expected and what came. `name`
// is for those messages only.
//
// Letters: D = dim, H = heads, size = D / H, T = tokens of one sequence. Weights are [out, in],
// row-major, as in PyTorch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "headway/export.h"
#include "headway/graph.hpp"
#include "headway/operations.hpp"
#include "headway/weights.hpp"

namespace headway {

// Rows of a table [vocabulary, width] picked by ids (i32, width 1): [rows, width]. An id outside
// the table makes the run fail with Error(invalid_argument) that names it. f32 tables are read in
// place, never copied.
HEADWAY_API Value embedding(Graph& graph, Value ids, Weight table, const std::string& name = "");

// Rows of a table [positions, width] picked by each token's place in its sequence, for the tokens
// of `like`: learned position embeddings. A sequence longer than the table makes the run fail with
// Error(limit).
HEADWAY_API Value position_embedding(Graph& graph, Value like, Weight table,
                                     const std::string& name = "");

// y = x W^T + b over rows: [rows, in] -> [rows, out].
HEADWAY_API Value linear(Graph& graph, Value x, LinearWeights weights,
                         const std::string& name = "");
// Several Linears of one input, their outputs side by side: [rows, out_0 + out_1 + ...]. Either all
// have a bias or none has one.
HEADWAY_API Value linear(Graph& graph, Value x, std::vector<LinearWeights> parts,
                         const std::string& name = "");

// Layer normalization over the width (Ba et al., 2016): gamma [width], beta [width] or absent;
// population variance, epsilon > 0.
HEADWAY_API Value layer_norm(Graph& graph, Value x, Weight gamma, Weight beta, float epsilon,
                             const std::string& name = "");

// Element-wise. gelu_erf is x * Phi(x), gelu_tanh its tanh approximation (Hendrycks and Gimpel,
// 2016).
HEADWAY_API Value activation(Graph& graph, Value x, Activation kind, const std::string& name = "");
// a + b, both [rows, width] of the same row space.
HEADWAY_API Value add(Graph& graph, Value a, Value b, const std::string& name = "");

// One sequence's tokens become one row: [tokens, width] -> [sequences, width]. A sequence without
// tokens gives zeros.
enum class Pooling : uint8_t { mean, cls };
HEADWAY_API Value pool(Graph& graph, Value x, Pooling kind, const std::string& name = "");

// Each row divided by max(its Euclidean norm, 1e-12), as torch.nn.functional.normalize.
HEADWAY_API Value l2_normalize(Graph& graph, Value x, const std::string& name = "");

struct MultiHeadOptions {
  int64_t heads = 1;                // H; must divide D
  std::optional<float> scale = {};  // of q k^T, above 0; 1 / sqrt(size) when absent
  AttentionStrategy strategy = AttentionStrategy::automatic;
};

// Weights of a MultiHead layer: qkv is one Linear [3 D, D], or three [D, D] in the order q, k, v;
// out is [D, D].
struct MultiHeadWeights {
  std::vector<LinearWeights> qkv;
  LinearWeights out;
};

struct MultiHeadValues {
  Value output;   // [tokens of x, D]
  Value weights;  // attention weights, for each sequence [H, tokens of x, tokens of memory];
                  // computed only when used
};

// Multi-head attention (Vaswani et al., 2017) with the structure of DESIGN: q, k, v projections,
// softmax(q k^T * scale) v per head and sequence, output projection. Self-attention over x [tokens,
// D].
HEADWAY_API MultiHeadValues multi_head(Graph& graph, Value x, MultiHeadWeights weights,
                                       const MultiHeadOptions& options,
                                       const std::string& name = "");
// Cross-attention: queries from x, keys and values from `memory` [tokens of another stream, D].
HEADWAY_API MultiHeadValues multi_head(Graph& graph, Value x, Value memory,
                                       MultiHeadWeights weights, const MultiHeadOptions& options,
                                       const std::string& name = "");

}  // namespace headway
