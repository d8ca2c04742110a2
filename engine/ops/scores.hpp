// Scores in memory: what a strategy that keeps none is asked for, and what `materialized` works on.
#pragma once

#include <array>

#include "engine/ops/attention.hpp"

namespace headway {

// The attention weights of an item, in AttentionData::scores; 0 for hidden keys.
void attention_weights(const AttentionShape& shape, const AttentionData& data,
                       const AttentionItem& item, std::byte* scratch);
// Its scores as they are after AttentionShape::stage, in AttentionData::stage_scores.
void scores_at_stage(const AttentionShape& shape, const AttentionData& data,
                     const AttentionItem& item, std::byte* scratch);

// Bytes of scratch for both, with items of at most `size`.
size_t scores_scratch_bytes(const AttentionShape& shape, const AttentionItem& size,
                            bool weights_wanted);

// The keys that the products of some queries are made for: their band, rounded outwards so that few
// shapes occur.
KeyRange keys_of(const AttentionShape& shape, int64_t query, int64_t queries);

// Keys [begin, end) of the past ones or of the others, before which `before` come.
struct KeyPart {
  bool past;
  int64_t before, begin, end;

  int64_t count() const { return end - begin; }
};
std::array<KeyPart, 2> parts(const AttentionShape& shape, KeyRange keys);

// How many of an item's heads one product can take: all, or one where heads share keys or lie
// across each other.
int64_t heads_at_once(const AttentionShape& shape, int64_t heads);

}  // namespace headway
