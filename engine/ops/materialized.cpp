// The materialized strategy.
#include "engine/ops/materialized.hpp"

#include <algorithm>

#include "engine/kernels/softmax.hpp"
#include "engine/ops/onednn.hpp"

namespace headway {
namespace {

// scores[h] = q[h] k[h]^T, straight from the rows of q and k.
std::shared_ptr<const Gemm> score_product(const AttentionShape& s, int64_t heads) {
  return batched_gemm({.batch = heads,
                       .m = s.queries,
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

}  // namespace

// One call for all heads of a short sequence, since a call costs as much as its arithmetic there (T
// = 20: 0.24 ms batched, 0.92 ms per head); few heads of a long one, so that its scores stay in L2
// between the three steps and threads find enough items.
int64_t materialized_heads_per_item(const AttentionShape& shape) {
  constexpr int64_t kScores = 32768;
  const int64_t fitting =
      kScores / std::max<int64_t>(shape.queries, 1) / std::max<int64_t>(shape.keys, 1);
  return std::clamp<int64_t>(fitting, 1, shape.heads);
}

size_t materialized_scratch_bytes(const AttentionShape& shape) {
  const int64_t heads = materialized_heads_per_item(shape);
  size_t bytes = 0;
  for (int64_t count : {heads, shape.heads % heads}) {
    if (count == 0) continue;
    bytes = std::max({bytes, score_product(shape, count)->scratch_bytes(),
                      value_product(shape, count)->scratch_bytes()});
  }
  return bytes;
}

void run_materialized(const AttentionShape& s, const AttentionData& data, int64_t head,
                      int64_t count, std::byte* scratch) {
  float* scores = data.scores + head * s.queries * s.keys;
  score_product(s, count)->run(data.q + head * s.size, data.k + head * s.size, scores, scratch);
  softmax_rows(scores, count * s.queries, s.keys, s.keys, s.scale);
  if (data.out == nullptr) return;
  value_product(s, count)->run(scores, data.v + head * s.size, data.out + head * s.size, scratch);
}

}  // namespace headway
