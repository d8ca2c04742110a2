// Attention in tiles that never leave the cache: memory linear in T.
#pragma once

#include "engine/ops/attention.hpp"

namespace headway {

AttentionItem tiled_item_size(const AttentionShape& shape);
size_t tiled_scratch_bytes(const AttentionShape& shape, bool weights_wanted);
void run_tiled(const AttentionShape& shape, const AttentionData& data, const AttentionItem& item,
               std::byte* scratch);

}  // namespace headway
