// Attention of one sequence, by one of several strategies: softmax of the scores q k^T, as a rule
// makes them, times v.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/function_ref.hpp"
#include "engine/kernels/score_rule.hpp"
#include "engine/runtime/team.hpp"
#include "headway/attention.hpp"

namespace headway {

// From one head, and from one token, to the next, in elements.
struct HeadStrides {
  int64_t head = 0, token = 0;
};

// One sequence's attention, as far as choices and sizes depend on it (of the rule: all but its
// pointers, which only count as given or not). The past keys come before the others.
struct AttentionShape {
  int64_t queries = 0, past = 0, keys = 0;  // Tq, P, Tk
  int64_t heads = 0, kv_heads = 0;          // kv_heads divides heads
  int64_t size = 0, value_size = 0;
  HeadStrides q = {}, k = {}, v = {}, past_k = {}, past_v = {}, out = {};
  HeadStrides scores = {};  // of AttentionData::scores
  ScoreRule rule = {};
  bool bf16 =
      false;  // products of numbers rounded to bf16, where a strategy has them; needs is_fast()
  // Of AttentionData::stage_scores and how they are wanted; token 0: not at all.
  HeadStrides stage_scores = {};
  ScoreStage stage = ScoreStage::bias;

  int64_t all_keys() const { return past + keys; }
  int64_t kv_head(int64_t head) const { return head / (heads / kv_heads); }
};

// Where it lies.
struct AttentionData {
  const float* q = nullptr;
  const float* k = nullptr;
  const float* v = nullptr;
  const float* past_k = nullptr;
  const float* past_v = nullptr;
  float* out = nullptr;           // null when only scores are wanted
  float* scores = nullptr;        // for the attention weights, or null
  float* stage_scores = nullptr;  // for the scores at a stage before, if the shape wants them
};

// A part of the work on one sequence: some heads for some queries.
struct AttentionItem {
  int64_t head = 0, heads = 0;     // [head, head + heads)
  int64_t query = 0, queries = 0;  // [query, query + queries)
};

// A way to compute it. All give the same result within rounding. What a strategy does is a function
// of the shape alone.
struct AttentionMethod {
  AttentionStrategy strategy;
  const char* name;
  // When the automatic choice takes it, in words with the measurement behind it, and as a
  // condition.
  const char* when;
  bool (*chosen)(const AttentionShape& shape);
  // Whether it needs AttentionData::scores also when nobody wants the weights.
  bool needs_scores;
  // Whether AttentionShape::bf16 makes a difference.
  bool has_bf16;
  // The heads and queries of an item, the last ones perhaps smaller.
  AttentionItem (*item_size)(const AttentionShape& shape);
  // Scratch of one thread, in bytes.
  size_t (*scratch_bytes)(const AttentionShape& shape, bool weights_wanted);
  // Computes an item; queries and keys are not 0. Fills the scores that are given, and out unless
  // it is null.
  void (*run)(const AttentionShape& shape, const AttentionData& data, const AttentionItem& item,
              std::byte* scratch);
};

// All of them, the preferred first. Feeds the engine, the tests and the benchmarks.
std::span<const AttentionMethod> attention_methods();

// The one asked for, or the first whose condition holds.
const AttentionMethod& choose_attention(AttentionStrategy strategy, const AttentionShape& shape);

// For kernels, which count in size_t.
constexpr size_t to_size(int64_t value) {
  return static_cast<size_t>(value);
}

struct AttentionSequence {
  AttentionShape shape;
  AttentionData data;
};

// Zeros in an item's outputs, if there are any.
void clear_output(const AttentionShape& shape, const AttentionData& data,
                  const AttentionItem& item);

// Bytes of scratch that attend() needs for a sequence on each thread.
size_t attend_scratch(AttentionStrategy strategy, const AttentionShape& shape, bool weights_wanted);

// Attention of `count` sequences, their heads and queries shared by a team. sequence(i) is called
// with 0, 1, 2, ... in order, perhaps again from 0, by every thread.
void attend(Team& team, AttentionStrategy strategy, int64_t count,
            FunctionRef<AttentionSequence(int64_t)> sequence, std::byte* thread_scratch);

}  // namespace headway
