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

// The same, with places counted as RoBERTa counts them: an id `pad` takes row `pad`, any other the
// row `pad` + how many ids of its sequence up to and with its own are not `pad`. A sequence of more
// than positions - pad - 1 tokens makes the run fail with Error(limit).
HEADWAY_API Value position_embedding(Graph& graph, Value ids, Weight table, int64_t pad,
                                     const std::string& name = "");

// Rows of x [tokens, width] picked by their places in the sequence: `places`, i32 [picks, 1], is
// the token stream of the result [picks, width], and has as many sequences. A place outside its
// sequence makes the run fail with Error(invalid_argument) that names it.
HEADWAY_API Value gather(Graph& graph, Value x, Value places, const std::string& name = "");

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
// 2016), silu is x / (1 + exp(-x)).
HEADWAY_API Value activation(Graph& graph, Value x, Activation kind, const std::string& name = "");
// Gated linear unit (Shazeer, "GLU variants improve transformer", 2020), without its projections:
// the first half of each row, activated, times the second: [rows, 2 width] -> [rows, width].
HEADWAY_API Value gate(Graph& graph, Value x, Activation kind, const std::string& name = "");
// a + b, both [rows, width] of the same row space.
HEADWAY_API Value add(Graph& graph, Value a, Value b, const std::string& name = "");

// How one sequence's tokens become one row. Of a sequence without tokens it is zeros.
enum class Pooling : uint8_t {
  mean,
  cls,            // the first token
  max,            // the greatest of each column
  mean_sqrt_len,  // the sum, divided by the square root of the number of tokens
  weighted_mean,  // token i counts i times, from 1 on
  last_token,
};
struct PoolOptions {
  std::vector<Pooling> kinds = {Pooling::mean};  // side by side, in this order
  // [tokens, 1] i32: the tokens at the start of a sequence that have another number than 0 are left
  // out, but for their place (weighted_mean). Of a sequence without others, cls is its first token
  // all the same.
  std::optional<Value> skip = {};
};
// [tokens, width] -> [sequences, kinds x width].
HEADWAY_API Value pool(Graph& graph, Value x, const PoolOptions& options,
                       const std::string& name = "");
inline Value pool(Graph& graph, Value x, Pooling kind, const std::string& name = "") {
  return pool(graph, x, PoolOptions{.kinds = {kind}}, name);
}

// Each row divided by max(its Euclidean norm, 1e-12), as torch.nn.functional.normalize.
HEADWAY_API Value l2_normalize(Graph& graph, Value x, const std::string& name = "");

// Rotary position embedding (Su et al., "RoFormer", 2021): pair p of a head turns by position *
// base^(-2 p / dims) / scaling.
struct RotaryOptions {
  int64_t dims = 0;  // of each head that turn: even, at most size
  double base = 10000;
  double scaling = 1;  // positions are divided by it
};
// The angles of each token of `like`, for all layers that turn by them: [tokens, dims], cosines
// then sines. A sequence's positions go on where its tokens of `past` end.
HEADWAY_API Value rotary_table(Graph& graph, Value like, const RotaryOptions& options,
                               const std::string& name = "");
HEADWAY_API Value rotary_table(Graph& graph, Value like, Value past, const RotaryOptions& options,
                               const std::string& name = "");

// How a MultiHead layer turns its queries and keys.
struct Rotary {
  Value table;
  bool interleaved =
      false;  // pairs are neighbours; else numbers p and p + dims / 2, as in GPT-NeoX
};

// As AttentionOptions in attention.hpp, where more is said. A sequence's position is the number of
// its past tokens; key lengths are those of the batch, but all keys of a past are seen.
struct MultiHeadOptions {
  int64_t heads = 1;                // H
  int64_t kv_heads = 0;             // divides heads; 0: as many
  std::optional<float> scale = {};  // of q k^T; 1 / sqrt(size) when absent
  float softcap = 0;
  bool causal = false;
  bool bottom_right = false;
  std::optional<int64_t> left_window = {}, right_window = {};
  std::vector<float> alibi_slopes = {};  // [H]
  Weight relative_bias = {};             // [H | 1, 2 r + 1]
  std::optional<Rotary> rotary = {};     // not with keys of another stream
  // Added to the scores, -inf hides: for each sequence [H | 1, tokens of x, tokens of memory], as
  // Graph::input_pairs.
  std::optional<Value> bias = {};
  // Keys and values before those of x: rows [tokens of another stream, KV (size + value size)] as
  // MultiHeadValues::keys_values of earlier runs. Not together with `bias`.
  std::optional<Value> past = {};
  AttentionStrategy strategy = AttentionStrategy::automatic;
};

// Weights of a MultiHead layer: qkv is one Linear [H size + KV (size + value size), in], or three,
// q [H size, in], k [KV size, in] and v [KV value size, in]; out is [D, H value size]. Sizes follow
// from these shapes; usually KV = H, and size and value size are D / H.
struct MultiHeadWeights {
  std::vector<LinearWeights> qkv;
  LinearWeights out;
};

// Computed only where used.
struct MultiHeadValues {
  Value output;       // [tokens of x, D]
  Value weights;      // for each sequence [H, tokens of x, tokens of memory]; none with `past`
  Value keys_values;  // [tokens of memory, KV (size + value size)]: keys, turned, then values
};

// Multi-head attention (Vaswani et al., 2017) with the structure of DESIGN: q, k, v projections,
// softmax(q k^T * scale) v per head and sequence, output projection. Self-attention over x [tokens,
// in].
HEADWAY_API MultiHeadValues multi_head(Graph& graph, Value x, MultiHeadWeights weights,
                                       const MultiHeadOptions& options,
                                       const std::string& name = "");
// Cross-attention: queries from x, keys and values from `memory` [tokens of another stream, in].
HEADWAY_API MultiHeadValues multi_head(Graph& graph, Value x, Value memory,
                                       MultiHeadWeights weights, const MultiHeadOptions& options,
                                       const std::string& name = "");

}  // namespace headway
