// The list of strategies.
#include "engine/ops/attention.hpp"

#include "engine/base/message.hpp"
#include "engine/ops/materialized.hpp"
#include "engine/ops/tiled.hpp"

namespace headway {
namespace {

// Thread time of materialized over tiled on one thread (Zen 4, oneDNN 3.2, size 32, 12 heads;
// AVX-512 / held to AVX2):
//   T         8      16     32     64     128    256    513    1024
//   ratio   2.3/3.2 2.3/1.9 1.4/1.3 1.1/1.2 1.1/1.1 1.0/1.1 1.1/1.2 1.2/1.1
// With size 64 it is 1.0 to 2.5, with size 8 1.3 to 7: tiled is never slower, and its memory does
// not grow with T^2.
constexpr AttentionMethod kMethods[] = {
    {AttentionStrategy::tiled, "tiled",
     "always: at least as fast at every measured shape, memory linear in T",
     [](const AttentionShape&) { return true; }, false, tiled_item_size, tiled_scratch_bytes,
     run_tiled},
    {AttentionStrategy::materialized, "materialized",
     "only when asked for: the reference for the others",
     [](const AttentionShape&) { return false; }, true, materialized_item_size,
     materialized_scratch_bytes, run_materialized},
};

}  // namespace

std::span<const AttentionMethod> attention_methods() {
  return kMethods;
}

const AttentionMethod& choose_attention(AttentionStrategy strategy, const AttentionShape& shape) {
  for (const AttentionMethod& method : kMethods) {
    if (strategy == AttentionStrategy::automatic ? method.chosen(shape)
                                                 : method.strategy == strategy)
      return method;
  }
  fail(ErrorCode::invalid_argument, "attention strategy ", static_cast<int>(strategy),
       " is not known");
}

}  // namespace headway
