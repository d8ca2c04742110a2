// Attention with all scores in memory: two oneDNN matmuls on strided views and a softmax in place.
#pragma once

#include "engine/ops/attention.hpp"

namespace headway {

int64_t materialized_heads_per_item(const AttentionShape& shape);
size_t materialized_scratch_bytes(const AttentionShape& shape);
void run_materialized(const AttentionShape& shape, const AttentionData& data, int64_t head,
                      int64_t count, std::byte* scratch);

}  // namespace headway
