// Attention with all scores in memory: two oneDNN matmuls on strided views and a softmax in place.
#pragma once

#include "engine/ops/attention.hpp"

namespace headway {

AttentionItem materialized_item_size(const AttentionShape& shape);
size_t materialized_scratch_bytes(const AttentionShape& shape, bool weights_wanted);
void run_materialized(const AttentionShape& shape, const AttentionData& data,
                      const AttentionItem& item, std::byte* scratch);

}  // namespace headway
