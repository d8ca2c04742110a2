// The materialized strategy.
#include "engine/ops/materialized.hpp"

#include <algorithm>

#include "engine/ops/onednn.hpp"
#include "engine/ops/scores.hpp"

namespace headway {
namespace {

// out[h] = weights[h] v[h], or out[h] += where `adds`.
std::shared_ptr<const Gemm> value_product(const AttentionShape& s, const KeyPart& part,
                                          int64_t heads, int64_t queries, bool adds) {
  const HeadStrides v = part.past ? s.past_v : s.v;
  return batched_gemm({.batch = heads,
                       .m = queries,
                       .k = part.count(),
                       .n = s.value_size,
                       .a_batch = s.scores.head,
                       .a_row = s.scores.token,
                       .b_batch = v.head,
                       .b_row = v.token,
                       .b_column = 1,
                       .c_batch = s.out.head,
                       .c_row = s.out.token,
                       .adds = adds});
}

struct Values {
  const float* v;
  HeadStrides strides;

  const float* row(int64_t kv_head, int64_t key) const {
    return v + kv_head * strides.head + key * strides.token;
  }
};

Values values(const AttentionShape& s, const AttentionData& data, const KeyPart& part) {
  return part.past ? Values{data.past_v, s.past_v} : Values{data.v, s.v};
}

// Whether a product would carry 0 times NaN or infinity to queries that do not see it. Looking
// costs a reading of the values, which 128 queries share.
bool must_pick(const AttentionShape& s, const AttentionData& data, const AttentionItem& item,
               const std::array<KeyPart, 2>& keys) {
  if (!s.rule.has_band() && !s.rule.hides()) return false;
  for (const KeyPart& part : keys) {
    if (part.count() <= 0) continue;
    const Values all = values(s, data, part);
    for (int64_t head = s.kv_head(item.head); head <= s.kv_head(item.head + item.heads - 1);
         ++head) {
      if (!all_finite(all.row(head, part.begin - part.before), to_size(all.strides.token),
                      to_size(part.count()), to_size(s.value_size)))
        return true;
    }
  }
  return false;
}

// The slow way: key by key.
void pick_values(const AttentionShape& s, const AttentionData& data, const AttentionItem& item,
                 const std::array<KeyPart, 2>& keys) {
  clear_output(s, data, item);
  for (int64_t head = item.head; head < item.head + item.heads; ++head) {
    for (int64_t query = item.query; query < item.query + item.queries; ++query) {
      const float* weights = data.scores + head * s.scores.head + query * s.scores.token;
      float* out = data.out + head * s.out.head + query * s.out.token;
      for (const KeyPart& part : keys) {
        if (part.count() <= 0) continue;
        const Values all = values(s, data, part);
        add_visible_values(s.rule, to_size(head), to_size(query),
                           {to_size(part.begin), to_size(part.end)}, weights + part.begin,
                           all.row(s.kv_head(head), part.begin - part.before),
                           to_size(all.strides.token), to_size(s.value_size), out);
      }
    }
  }
}

}  // namespace

// One call for all heads of a short sequence, since a call costs as much as its arithmetic there (T
// = 20: 0.24 ms batched, 0.92 ms per head); few heads of a long one, so that its scores stay in L2
// between the three steps and threads find enough items. Where keys are hidden by a band, only as
// many queries as see about the same ones.
AttentionItem materialized_item_size(const AttentionShape& shape) {
  constexpr int64_t kScores = 32768, kBanded = 128;
  const int64_t queries =
      shape.rule.has_band() ? std::clamp<int64_t>(shape.queries, 1, kBanded) : shape.queries;
  const int64_t fitting =
      kScores / std::max<int64_t>(queries, 1) / std::max<int64_t>(shape.all_keys(), 1);
  return {.heads = std::clamp<int64_t>(fitting, 1, shape.heads), .queries = queries};
}

size_t materialized_scratch_bytes(const AttentionShape& s, bool) {
  const AttentionItem size = materialized_item_size(s);
  size_t bytes = scores_scratch_bytes(s, size, true);
  for (int64_t query = 0; query < s.queries; query += size.queries) {
    const int64_t queries = std::min(size.queries, s.queries - query);
    bool adds = false;
    for (const KeyPart& part : parts(s, keys_of(s, query, queries))) {
      if (part.count() <= 0) continue;
      for (int64_t heads : {std::min(size.heads, s.heads), s.heads % size.heads}) {
        if (heads == 0) continue;
        const auto gemm = value_product(s, part, heads_at_once(s, heads), queries, adds);
        bytes = std::max(bytes, gemm->scratch_bytes());
      }
      adds = true;
    }
  }
  return bytes;
}

void run_materialized(const AttentionShape& s, const AttentionData& data, const AttentionItem& item,
                      std::byte* scratch) {
  attention_weights(s, data, item, scratch);
  if (data.stage_scores != nullptr) scores_at_stage(s, data, item, scratch);
  if (data.out == nullptr) return;
  const auto keys = parts(s, keys_of(s, item.query, item.queries));
  if (must_pick(s, data, item, keys)) return pick_values(s, data, item, keys);
  const int64_t step = heads_at_once(s, item.heads);
  bool adds = false;
  for (const KeyPart& part : keys) {
    if (part.count() <= 0) continue;
    const Values all = values(s, data, part);
    const auto gemm = value_product(s, part, step, item.queries, adds);
    for (int64_t head = item.head; head < item.head + item.heads; head += step) {
      gemm->run(data.scores + head * s.scores.head + item.query * s.scores.token + part.begin,
                all.row(s.kv_head(head), part.begin - part.before),
                data.out + head * s.out.head + item.query * s.out.token, scratch);
    }
    adds = true;
  }
  if (!adds) clear_output(s, data, item);
}

}  // namespace headway
