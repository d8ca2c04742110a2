// What attention scores go through between q k^T and softmax, and what hidden keys must not do.
//
// As all kernels: raw pointers, no allocation, no threads; memory outside the given rows is neither
// read nor written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace headway {

// Keys [begin, end) of a sequence.
struct KeyRange {
  size_t begin = 0, end = 0;

  bool empty() const { return begin >= end; }
  KeyRange within(KeyRange other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
};

// A bias or a mask of one sequence: element (head, query, key) at these strides; 0 stands for all.
template <typename T>
struct ScoreTensor {
  const T* data = nullptr;
  ptrdiff_t head = 0, query = 0, key = 0;  // key: 1 or 0

  const T* row(size_t h, size_t i) const {
    return data + static_cast<ptrdiff_t>(h) * head + static_cast<ptrdiff_t>(i) * query;
  }
};

// One sequence's scores s = q k^T become, in this order (ONNX Attention, opset 25): scale s;
// softcap tanh(s / softcap); + biases; -inf where hidden. Query i stands at i + position among the
// keys, its distance from key j is j - i - position. A key is hidden where its distance is outside
// [first, last], from visible_keys on, where the mask is 0, and where the biases add up to -inf.
struct ScoreRule {
  static constexpr ptrdiff_t kUnbounded = PTRDIFF_MAX / 4;

  float scale = 1;    // finite
  float softcap = 0;  // 0: none
  ptrdiff_t position = 0;
  ptrdiff_t first = -kUnbounded, last = kUnbounded;
  size_t visible_keys = SIZE_MAX;
  ScoreTensor<uint8_t> mask = {};
  ScoreTensor<float> bias = {};
  const float* slopes = nullptr;    // [heads]: adds -slope |distance|
  const float* relative = nullptr;  // adds relative[head * relative_head][radius + distance], the
  ptrdiff_t relative_head = 0;      // distance clamped to [-radius, radius]
  ptrdiff_t radius = 0;

  // What the band leaves of `keys` keys to queries [query, query + queries).
  KeyRange band(size_t query, size_t queries, size_t keys) const {
    const ptrdiff_t at = static_cast<ptrdiff_t>(query) + position;
    const ptrdiff_t most = static_cast<ptrdiff_t>(std::min(keys, visible_keys));
    const ptrdiff_t begin = std::max<ptrdiff_t>(at + first, 0);
    const ptrdiff_t end = std::min(at + static_cast<ptrdiff_t>(queries) - 1 + last + 1, most);
    if (begin >= end) return {};
    return {static_cast<size_t>(begin), static_cast<size_t>(end)};
  }
  bool has_band() const { return first > -kUnbounded || last < kUnbounded; }
  // Whether the scores are anything else than a positive number times q k^T, the band left aside.
  bool adjusts() const {
    return !(scale > 0) || softcap > 0 || mask.data != nullptr || bias.data != nullptr ||
           slopes != nullptr || relative != nullptr;
  }
  // Whether it may hide a key of the band.
  bool hides() const { return mask.data != nullptr || bias.data != nullptr || relative != nullptr; }
};

// scores[0, keys) of a query become what the rule makes of them.
void apply_score_rule(const ScoreRule& rule, size_t head, size_t query, size_t keys, float* scores);

// Whether the rows [count, size] hold neither a NaN nor an infinity.
bool all_finite(const float* rows, size_t stride, size_t count, size_t size);

// out[0, size) += sum of weights[j - keys.begin] v[j] over the keys that the query sees, in rising
// order: what a product of matrices does, but hidden values are not even multiplied by 0. `v` is
// the row of key keys.begin.
void add_visible_values(const ScoreRule& rule, size_t head, size_t query, KeyRange keys,
                        const float* weights, const float* v, size_t v_stride, size_t size,
                        float* out);

}  // namespace headway
