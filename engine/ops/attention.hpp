// softmax(q k^T * scale) v for one sequence, by one of several strategies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "headway/operations.hpp"

namespace headway {

// One sequence's attention, as far as choices and sizes depend on it. Strides are in elements, from
// one token to the next; the heads of a token lie side by side.
struct AttentionShape {
  int64_t queries = 0, keys = 0;  // Tq, Tk
  int64_t heads = 0, size = 0;
  int64_t q_stride = 0, k_stride = 0, v_stride = 0, out_stride = 0;
  float scale = 1;
};

// Where it lies: rows of tokens, [H, size] each, at the strides of the shape.
struct AttentionData {
  const float* q = nullptr;
  const float* k = nullptr;
  const float* v = nullptr;
  float* out = nullptr;     // null when only the weights are wanted
  float* scores = nullptr;  // [H, Tq, Tk] for the attention weights, or null
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
  // The heads and queries of an item, the last ones perhaps smaller.
  AttentionItem (*item_size)(const AttentionShape& shape);
  // Scratch of one thread, in bytes.
  size_t (*scratch_bytes)(const AttentionShape& shape, bool weights_wanted);
  // Computes an item; queries and keys are not 0. Fills scores with the attention weights where
  // they are given, and out unless it is null.
  void (*run)(const AttentionShape& shape, const AttentionData& data, const AttentionItem& item,
              std::byte* scratch);
};

// All of them, the preferred first. Feeds the engine, the tests and the benchmarks.
std::span<const AttentionMethod> attention_methods();

// The one asked for, or the first whose condition holds.
const AttentionMethod& choose_attention(AttentionStrategy strategy, const AttentionShape& shape);

}  // namespace headway
