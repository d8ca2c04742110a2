// The tiled strategy.
#include "engine/ops/tiled.hpp"

#include <algorithm>

#include "engine/kernels/tiled_attention.hpp"
#include "engine/ops/scores.hpp"

namespace headway {
namespace {

constexpr int64_t kRows = kTiledRows;

KeyRows key_rows(const float* k, HeadStrides k_strides, const float* v, HeadStrides v_strides,
                 int64_t kv_head, int64_t count) {
  return {.k = k + kv_head * k_strides.head,
          .v = v + kv_head * v_strides.head,
          .count = to_size(count),
          .k_stride = to_size(k_strides.token),
          .v_stride = to_size(v_strides.token)};
}

}  // namespace

// One head for many queries, which share a packing of the keys: 384 of a long sequence (with 192, 1
// x 4096 x 512 of 8 heads takes 8 to 16 % longer, a window of 129 keys 10 %), 192 of a shorter one,
// so that a few threads find items enough. Several heads of a short sequence, so that an item is
// worth handing out (some 50 us of arithmetic at most, some 5 at least where there is so much).
// Heads that share their keys stay together where they are few enough rows.
AttentionItem tiled_item_size(const AttentionShape& shape) {
  constexpr int64_t kScores = 4096, kLong = 1024;
  const int64_t most = shape.queries >= kLong ? kRows : kRows / 2;
  const int64_t queries = std::clamp<int64_t>(shape.queries, 1, most);
  const int64_t sharing = std::min(shape.heads / shape.kv_heads, kRows / queries);
  const int64_t heads = kScores / queries / std::max<int64_t>(shape.all_keys(), 1);
  return {.heads = std::clamp(heads / sharing * sharing, sharing, shape.heads), .queries = queries};
}

size_t tiled_scratch_bytes(const AttentionShape& shape, bool weights_wanted) {
  return std::max(tiled_attention_scratch(to_size(shape.size), to_size(shape.value_size)),
                  scores_scratch_bytes(shape, tiled_item_size(shape), weights_wanted));
}

void run_tiled(const AttentionShape& s, const AttentionData& data, const AttentionItem& item,
               std::byte* scratch) {
  if (data.scores != nullptr) attention_weights(s, data, item, scratch);
  if (data.stage_scores != nullptr) scores_at_stage(s, data, item, scratch);
  if (data.out == nullptr) return;
  const int64_t sharing = s.heads / s.kv_heads, end = item.head + item.heads;
  for (int64_t head = item.head, next; head < end; head = next) {
    const int64_t kv_head = s.kv_head(head);
    next =
        std::min({end, (kv_head + 1) * sharing, head + std::max<int64_t>(kRows / item.queries, 1)});
    tiled_attention(
        {.q = data.q + head * s.q.head + item.query * s.q.token,
         .out = data.out + head * s.out.head + item.query * s.out.token,
         .past = key_rows(data.past_k, s.past_k, data.past_v, s.past_v, kv_head, s.past),
         .keys = key_rows(data.k, s.k, data.v, s.v, kv_head, s.keys),
         .heads = to_size(next - head),
         .queries = to_size(item.queries),
         .size = to_size(s.size),
         .value_size = to_size(s.value_size),
         .q_head = to_size(s.q.head),
         .q_stride = to_size(s.q.token),
         .out_head = to_size(s.out.head),
         .out_stride = to_size(s.out.token),
         .rule = &s.rule,
         .first_head = to_size(head),
         .first_query = to_size(item.query),
         .bf16 = s.bf16},
        scratch);
  }
}

}  // namespace headway
