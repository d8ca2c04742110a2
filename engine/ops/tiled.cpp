// The tiled strategy.
#include "engine/ops/tiled.hpp"

#include <algorithm>

#include "engine/kernels/tiled_attention.hpp"
#include "engine/ops/materialized.hpp"

namespace headway {

// One head for as many queries as share a packing of the keys; several heads of a short sequence,
// so that an item is worth handing out (some 50 us of arithmetic at most, some 5 at least where
// there is so much).
AttentionItem tiled_item_size(const AttentionShape& shape) {
  constexpr int64_t kScores = 4096;
  const int64_t queries = std::clamp<int64_t>(shape.queries, 1, kTiledQueries);
  const int64_t heads = kScores / queries / std::max<int64_t>(shape.keys, 1);
  return {.heads = std::clamp<int64_t>(heads, 1, shape.heads), .queries = queries};
}

size_t tiled_scratch_bytes(const AttentionShape& shape, bool weights_wanted) {
  const size_t tiles = tiled_attention_scratch(static_cast<size_t>(shape.size));
  if (!weights_wanted) return tiles;
  return std::max(tiles, attention_weights_scratch_bytes(shape, tiled_item_size(shape)));
}

void run_tiled(const AttentionShape& s, const AttentionData& data, const AttentionItem& item,
               std::byte* scratch) {
  if (data.scores != nullptr) attention_weights(s, data, item, scratch);
  if (data.out == nullptr) return;
  for (int64_t head = item.head; head < item.head + item.heads; ++head) {
    const int64_t column = head * s.size;
    tiled_attention({.q = data.q + item.query * s.q_stride + column,
                     .k = data.k + column,
                     .v = data.v + column,
                     .out = data.out + item.query * s.out_stride + column,
                     .queries = static_cast<size_t>(item.queries),
                     .keys = static_cast<size_t>(s.keys),
                     .size = static_cast<size_t>(s.size),
                     .q_stride = static_cast<size_t>(s.q_stride),
                     .k_stride = static_cast<size_t>(s.k_stride),
                     .v_stride = static_cast<size_t>(s.v_stride),
                     .out_stride = static_cast<size_t>(s.out_stride),
                     .scale = s.scale},
                    scratch);
  }
}

}  // namespace headway
