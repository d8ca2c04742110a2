// The list of strategies, and how a team shares the work.
#include "engine/ops/attention.hpp"

#include <algorithm>
#include <cstring>

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
     [](const AttentionShape&) { return true; }, false, true, tiled_item_size, tiled_scratch_bytes,
     run_tiled},
    {AttentionStrategy::materialized, "materialized",
     "only when asked for: the reference for the others",
     [](const AttentionShape&) { return false; }, true, false, materialized_item_size,
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

void clear_output(const AttentionShape& shape, const AttentionData& data,
                  const AttentionItem& item) {
  if (data.out == nullptr) return;
  for (int64_t head = item.head; head < item.head + item.heads; ++head) {
    float* out = data.out + head * shape.out.head + item.query * shape.out.token;
    for (int64_t i = 0; i < item.queries; ++i, out += shape.out.token)
      std::memset(out, 0, to_size(shape.value_size) * sizeof(float));
  }
}

size_t attend_scratch(AttentionStrategy strategy, const AttentionShape& shape,
                      bool weights_wanted) {
  if (shape.queries == 0 || shape.all_keys() == 0) return 0;
  return choose_attention(strategy, shape).scratch_bytes(shape, weights_wanted);
}

namespace {

// A sequence's items: what they are depends on its shape alone.
struct Plan {
  Plan() = default;
  Plan(AttentionStrategy strategy, const AttentionSequence& sequence)
      : shape(sequence.shape), data(sequence.data) {
    if (shape.queries == 0) return;
    method = &choose_attention(strategy, shape);
    size = method->item_size(shape);
    head_items = (shape.heads + size.heads - 1) / size.heads;
    items = head_items * ((shape.queries + size.queries - 1) / size.queries);
  }

  AttentionItem item(int64_t index) const {
    const int64_t head = index % head_items * size.heads;
    const int64_t query = index / head_items * size.queries;
    return {.head = head,
            .heads = std::min(size.heads, shape.heads - head),
            .query = query,
            .queries = std::min(size.queries, shape.queries - query)};
  }

  AttentionShape shape;
  AttentionData data;
  const AttentionMethod* method = nullptr;
  AttentionItem size;
  int64_t items = 0, head_items = 0;
};

}  // namespace

void attend(Team& team, AttentionStrategy strategy, int64_t count,
            FunctionRef<AttentionSequence(int64_t)> sequence, std::byte* thread_scratch) {
  int64_t items = 0;
  for (int64_t i = 0; i < count; ++i) items += Plan(strategy, sequence(i)).items;

  // Each thread gets its items in rising order, so it only moves forward through the sequences.
  int64_t next = 0, first_item = 0;
  Plan plan;
  team.for_each(items, [&](int64_t index) {
    while (index >= first_item + plan.items) {
      first_item += plan.items;
      plan = Plan(strategy, sequence(next++));
    }
    const AttentionItem item = plan.item(index - first_item);
    if (plan.shape.all_keys() > 0) {
      plan.method->run(plan.shape, plan.data, item, thread_scratch);
    } else {
      clear_output(plan.shape, plan.data, item);
    }
  });
}

}  // namespace headway
