// Attention as a function: softmax(q k^T * scale) v with everything that models put in between.
//
// Letters: B sequences, H query heads, KV heads of keys and values, Tq queries, Tk keys, P past
// keys.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>

#include "headway/export.h"
#include "headway/operations.hpp"
#include "headway/tensor.hpp"

namespace headway {

// A 4-D array at any strides, in elements, in memory that the view does not own: [B, H, T, size]
// whatever the order in memory. No data: absent.
template <typename Pointer>
struct BasicStridedView {
  Pointer data = nullptr;
  DType dtype = DType::f32;
  std::array<int64_t, 4> extents{};
  std::array<int64_t, 4> strides{};

  BasicStridedView() = default;
  BasicStridedView(Pointer data, DType dtype, std::array<int64_t, 4> extents,
                   std::array<int64_t, 4> strides)
      : data(data), dtype(dtype), extents(extents), strides(strides) {}

  // Row-major, as extents say.
  static BasicStridedView dense(Pointer data, std::array<int64_t, 4> extents,
                                DType dtype = DType::f32) {
    // Sizes too large for memory wrap here and are refused where the view is used.
    std::array<int64_t, 4> strides{0, 0, 0, 1};
    for (size_t axis = 3; axis > 0; --axis) {
      strides[axis - 1] = static_cast<int64_t>(static_cast<uint64_t>(strides[axis]) *
                                               static_cast<uint64_t>(extents[axis]));
    }
    return {data, dtype, extents, strides};
  }
  // Rows of tokens [B, T, row] that hold heads * size values from `data` on: [B, H, T, size] of
  // [B, T, H, size], or of a third of [B, T, 3 D].
  static BasicStridedView rows(Pointer data, int64_t batch, int64_t tokens, int64_t heads,
                               int64_t size, int64_t row, DType dtype = DType::f32) {
    const auto sequence =
        static_cast<int64_t>(static_cast<uint64_t>(tokens) * static_cast<uint64_t>(row));
    return {data, dtype, {batch, heads, tokens, size}, {sequence, size, row, 1}};
  }

  explicit operator bool() const { return data != nullptr; }
};
using StridedView = BasicStridedView<const void*>;
using MutableStridedView = BasicStridedView<void*>;

// What is done with the scores, in ONNX's order (Attention, opset 25):
//   s = scale q k^T;  softcap tanh(s / softcap);  + bias;  hidden where masked;  softmax.
enum class ScoreStage : uint8_t { raw, softcap, bias, weights };
// "raw", ...
HEADWAY_API const char* to_string(ScoreStage stage);

struct AttentionOptions {
  std::optional<float> scale = {};  // any finite number; 1 / sqrt(size) when absent
  float softcap = 0;                // above 0, or 0 for none

  // Positions: query i stands at i + offset among the keys. The offset is P with past keys, key
  // length - Tq with key lengths (and for bottom_right: Tk - Tq), else 0.
  bool causal = false;        // query i sees the keys up to its own position
  bool bottom_right = false;  // the last query stands at the last key; with neither of the others
  std::optional<int64_t> left_window = {};   // sees this many keys before its position, and no more
  std::optional<int64_t> right_window = {};  // and this many after it
  // [B], each from 0 to Tk: keys from there on are never read, only copied to the present where
  // that is asked for. Not together with past keys.
  std::span<const int64_t> key_lengths = {};

  // Boolean (one byte each, 0 is hidden), and f32, added: [B | 1, H | 1, Tq | 1, P + Tk], an extent
  // of 1 stands for all; the last stride is 1. A mask or bias with fewer keys hides the rest; one
  // with a single key is for all. A bias of -inf hides too.
  StridedView mask = {};
  StridedView bias = {};
  // ALiBi (Press et al., 2022): -slope |j - position| is added. [H], finite.
  std::span<const float> alibi_slopes = {};
  // [H | 1, 2 r + 1] dense: relative_bias[h][j - position + r] is added; farther keys take the
  // first or the last number (as T5's and MPNet's buckets end).
  TensorView relative_bias = {};

  // Keys [B, KV, P, size] and values [B, KV, P, value_size] before those of the call.
  StridedView past_key = {}, past_value = {};
  // Where the past and the new ones are written one after the other, if given: [B, KV, P + Tk,
  // ...]. They may begin where the past begins, with the same strides: then only the new ones are
  // written.
  MutableStridedView present_key = {}, present_value = {};
  // Where the scores are written as they are after `score_stage`, if given: [B, H, Tq, P + Tk].
  // Hidden keys are -inf after `bias`, 0 in `weights`; keys beyond a key length are so too, and 0
  // before.
  MutableStridedView scores = {};
  ScoreStage score_stage = ScoreStage::weights;

  AttentionStrategy strategy = AttentionStrategy::automatic;
  int threads = 0;            // at most; 0: as many as cores that the process may use
  std::stop_token stop = {};  // ends the call with Error(cancelled), as RunOptions::stop does
};

// out [B, H, Tq, value_size] from q [B, H, Tq, size], k [B, KV, Tk, size] and v [B, KV, Tk,
// value_size], all f32 with a last stride of 1; KV divides H, and each KV head serves H / KV query
// heads in a row (Ainslie et al., "GQA", 2023). A query that sees no key gives zeros. What is
// hidden from a query has no influence on it, not even as NaN or infinity.
//
// Error(invalid_argument) names the argument, what was expected and what came; then nothing has
// been written. Outputs may not overlap inputs, but for the present. Results do not depend on
// threads. Allocates its working memory: independent of Tq and Tk with the tiled strategy.
HEADWAY_API void attention(const StridedView& q, const StridedView& k, const StridedView& v,
                           const MutableStridedView& out, const AttentionOptions& options = {});

}  // namespace headway
