// The list of strategies.
#include "engine/ops/attention.hpp"

#include "engine/base/message.hpp"
#include "engine/ops/materialized.hpp"

namespace headway {
namespace {

constexpr AttentionMethod kMethods[] = {
    {AttentionStrategy::materialized, "materialized", "always: the reference for the others",
     [](const AttentionShape&) { return true; }, materialized_heads_per_item,
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
