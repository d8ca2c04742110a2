// Scores: a oneDNN product on strided views, then the rule and the softmax in place.
#include "engine/ops/scores.hpp"

#include <algorithm>

#include "engine/kernels/softmax.hpp"
#include "engine/ops/onednn.hpp"

namespace headway {
namespace {

// scores[h] = q[h] k[h]^T.
std::shared_ptr<const Gemm> product(const AttentionShape& s, const KeyPart& part, int64_t heads,
                                    int64_t queries, HeadStrides to) {
  const HeadStrides k = part.past ? s.past_k : s.k;
  return batched_gemm({.batch = heads,
                       .m = queries,
                       .k = s.size,
                       .n = part.count(),
                       .a_batch = s.q.head,
                       .a_row = s.q.token,
                       .b_batch = k.head,
                       .b_row = 1,
                       .b_column = k.token,
                       .c_batch = to.head,
                       .c_row = to.token});
}

// The sequence with the rule as it is up to a stage.
AttentionShape up_to(const AttentionShape& s, ScoreStage stage) {
  AttentionShape shape = s;
  if (stage == ScoreStage::raw || stage == ScoreStage::softcap) {
    shape.rule = {};
    shape.rule.scale = s.rule.scale;
    if (stage == ScoreStage::softcap) shape.rule.softcap = s.rule.softcap;
  }
  return shape;
}

// Fills scores[head * to.head + query * to.token + key] for an item's band with q k^T.
void multiply(const AttentionShape& s, const AttentionData& data, const AttentionItem& item,
              float* scores, HeadStrides to, std::byte* scratch) {
  const int64_t step = heads_at_once(s, item.heads);
  for (const KeyPart& part : parts(s, keys_of(s, item.query, item.queries))) {
    if (part.count() <= 0) continue;
    const float* k = part.past ? data.past_k : data.k;
    const HeadStrides strides = part.past ? s.past_k : s.k;
    const auto gemm = product(s, part, step, item.queries, to);
    for (int64_t head = item.head; head < item.head + item.heads; head += step) {
      gemm->run(data.q + head * s.q.head + item.query * s.q.token,
                k + s.kv_head(head) * strides.head + (part.begin - part.before) * strides.token,
                scores + head * to.head + item.query * to.token + part.begin, scratch);
    }
  }
}

}  // namespace

KeyRange keys_of(const AttentionShape& s, int64_t query, int64_t queries) {
  constexpr size_t kStep = 64;
  const size_t keys = to_size(s.all_keys());
  const KeyRange band = s.rule.band(to_size(query), to_size(queries), keys);
  if (band.empty()) return {};
  return {band.begin / kStep * kStep, std::min((band.end + kStep - 1) / kStep * kStep, keys)};
}

std::array<KeyPart, 2> parts(const AttentionShape& s, KeyRange keys) {
  const auto begin = static_cast<int64_t>(keys.begin), end = static_cast<int64_t>(keys.end);
  return {{{true, 0, begin, std::min(end, s.past)}, {false, s.past, std::max(begin, s.past), end}}};
}

int64_t heads_at_once(const AttentionShape& s, int64_t heads) {
  // Each head in one piece, or each token.
  const auto regular = [&](HeadStrides strides, int64_t tokens, int64_t width) {
    return tokens == 0 || strides.head >= (tokens - 1) * strides.token + width ||
           (strides.head >= width && strides.token >= (s.heads - 1) * strides.head + width);
  };
  const bool together = s.heads == s.kv_heads && regular(s.q, s.queries, s.size) &&
                        regular(s.k, s.keys, s.size) && regular(s.v, s.keys, s.value_size) &&
                        regular(s.past_k, s.past, s.size) &&
                        regular(s.past_v, s.past, s.value_size);
  return together ? heads : 1;
}

void attention_weights(const AttentionShape& s, const AttentionData& data,
                       const AttentionItem& item, std::byte* scratch) {
  multiply(s, data, item, data.scores, s.scores, scratch);
  const size_t keys = to_size(s.all_keys());
  const bool plain = !s.rule.adjusts() && !s.rule.has_band() && s.rule.visible_keys >= keys;
  for (int64_t head = item.head; head < item.head + item.heads; ++head) {
    float* row = data.scores + head * s.scores.head + item.query * s.scores.token;
    if (plain) {
      softmax_rows(row, to_size(item.queries), keys, to_size(s.scores.token), s.rule.scale);
      continue;
    }
    for (size_t query = to_size(item.query); query < to_size(item.query + item.queries); ++query) {
      const KeyRange seen = s.rule.band(query, 1, keys);
      apply_score_rule(s.rule, to_size(head), query, keys, row);
      softmax(row + seen.begin, seen.end - seen.begin, 1);
      std::fill(row, row + seen.begin, 0.0f);
      std::fill(row + seen.end, row + keys, 0.0f);
      row += s.scores.token;
    }
  }
}

void scores_at_stage(const AttentionShape& s, const AttentionData& data, const AttentionItem& item,
                     std::byte* scratch) {
  const AttentionShape part = up_to(s, s.stage);
  multiply(part, data, item, data.stage_scores, s.stage_scores, scratch);
  for (int64_t head = item.head; head < item.head + item.heads; ++head) {
    for (int64_t query = item.query; query < item.query + item.queries; ++query) {
      float* row = data.stage_scores + head * s.stage_scores.head + query * s.stage_scores.token;
      apply_score_rule(part.rule, to_size(head), to_size(query), to_size(s.all_keys()), row);
    }
  }
}

size_t scores_scratch_bytes(const AttentionShape& s, const AttentionItem& size,
                            bool weights_wanted) {
  size_t bytes = 0;
  const auto add = [&](const AttentionShape& shape, HeadStrides to) {
    for (int64_t query = 0; query < s.queries; query += size.queries) {
      const int64_t queries = std::min(size.queries, s.queries - query);
      for (const KeyPart& part : parts(shape, keys_of(shape, query, queries))) {
        if (part.count() <= 0) continue;
        // The last item may have fewer heads.
        for (int64_t heads : {std::min(size.heads, s.heads), s.heads % size.heads}) {
          if (heads == 0) continue;
          const auto gemm = product(shape, part, heads_at_once(s, heads), queries, to);
          bytes = std::max(bytes, gemm->scratch_bytes());
        }
      }
    }
  };
  if (weights_wanted) add(s, s.scores);
  if (s.stage_scores.token > 0) add(up_to(s, s.stage), s.stage_scores);
  return bytes;
}

}  // namespace headway
