// The materialized strategy.
#include "engine/ops/materialized.hpp"

#include <algorithm>
#include <array>

#include "engine/kernels/softmax.hpp"
#include "engine/ops/onednn.hpp"

namespace headway {
namespace {

// scores[h] = q[h] k[h]^T, straight from the rows of q and k.
std::shared_ptr<const Gemm> score_product(const AttentionShape& s, int64_t heads, int64_t queries) {
  return batched_gemm({.batch = heads,
                       .m = queries,
                       .k = s.size,
                       .n = s.keys,
                       .a_batch = s.size,
                       .a_row = s.q_stride,
                       .b_batch = s.size,
                       .b_row = 1,
                       .b_column = s.k_stride,
                       .c_batch = s.queries * s.keys,
                       .c_row = s.keys});
}

// out[h] = weights[h] v[h], straight from the rows of v to those of out.
std::shared_ptr<const Gemm> value_product(const AttentionShape& s, int64_t heads) {
  return batched_gemm({.batch = heads,
                       .m = s.queries,
                       .k = s.keys,
                       .n = s.size,
                       .a_batch = s.queries * s.keys,
                       .a_row = s.keys,
                       .b_batch = s.size,
                       .b_row = s.v_stride,
                       .b_column = 1,
                       .c_batch = s.size,
                       .c_row = s.out_stride});
}

// Sizes that occur when `total` is cut into pieces of `size`: that one and what remains, if
// anything.
std::array<int64_t, 2> pieces(int64_t total, int64_t size) {
  return {std::min(total, size), total % size};
}

}  // namespace

// One call for all heads of a short sequence, since a call costs as much as its arithmetic there (T
// = 20: 0.24 ms batched, 0.92 ms per head); few heads of a long one, so that its scores stay in L2
// between the three steps and threads find enough items.
AttentionItem materialized_item_size(const AttentionShape& shape) {
  constexpr int64_t kScores = 32768;
  const int64_t fitting =
      kScores / std::max<int64_t>(shape.queries, 1) / std::max<int64_t>(shape.keys, 1);
  return {.heads = std::clamp<int64_t>(fitting, 1, shape.heads), .queries = shape.queries};
}

size_t attention_weights_scratch_bytes(const AttentionShape& shape, const AttentionItem& size) {
  size_t bytes = 0;
  for (int64_t heads : pieces(shape.heads, size.heads)) {
    for (int64_t queries : pieces(shape.queries, size.queries)) {
      if (heads == 0 || queries == 0) continue;
      bytes = std::max(bytes, score_product(shape, heads, queries)->scratch_bytes());
    }
  }
  return bytes;
}

void attention_weights(const AttentionShape& s, const AttentionData& data,
                       const AttentionItem& item, std::byte* scratch) {
  float* scores = data.scores + (item.head * s.queries + item.query) * s.keys;
  const float* q = data.q + item.query * s.q_stride + item.head * s.size;
  score_product(s, item.heads, item.queries)->run(q, data.k + item.head * s.size, scores, scratch);
  for (int64_t head = 0; head < item.heads; ++head) {
    softmax_rows(scores + head * s.queries * s.keys, item.queries, s.keys, s.keys, s.scale);
  }
}

size_t materialized_scratch_bytes(const AttentionShape& shape, bool) {
  const AttentionItem size = materialized_item_size(shape);
  size_t bytes = attention_weights_scratch_bytes(shape, size);
  for (int64_t heads : pieces(shape.heads, size.heads)) {
    if (heads > 0) bytes = std::max(bytes, value_product(shape, heads)->scratch_bytes());
  }
  return bytes;
}

void run_materialized(const AttentionShape& s, const AttentionData& data, const AttentionItem& item,
                      std::byte* scratch) {
  attention_weights(s, data, item, scratch);
  if (data.out == nullptr) return;
  const float* weights = data.scores + item.head * s.queries * s.keys;
  value_product(s, item.heads)
      ->run(weights, data.v + item.head * s.size, data.out + item.head * s.size, scratch);
}

}  // namespace headway
