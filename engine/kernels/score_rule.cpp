// The rule of scores, for whole rows.
#include "engine/kernels/score_rule.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/score_rule.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/row-inl.hpp"
#include "engine/kernels/score_rule-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

void apply_score_rule_kernel(const ScoreRule& rule, size_t head, size_t query, size_t keys,
                             float* scores) {
  const KeyRange seen = rule.band(query, 1, keys);
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  std::fill(scores, scores + seen.begin, kHidden);
  adjust_scores(hn::ScalableTag<float>(), rule, head, query, seen.begin, seen.end - seen.begin,
                scores + seen.begin);
  std::fill(scores + seen.end, scores + keys, kHidden);
}

bool all_finite_kernel(const float* rows, size_t stride, size_t count, size_t size) {
  const hn::ScalableTag<float> d;
  for (size_t row = 0; row < count; ++row, rows += stride) {
    // 0 times anything finite is 0.
    const float sum =
        sum_row(d, rows, size, [d](auto v) HWY_ATTR { return hn::Mul(v, hn::Zero(d)); });
    if (sum != 0) return false;
  }
  return true;
}

void add_visible_values_kernel(const ScoreRule& rule, size_t head, size_t query, KeyRange keys,
                               const float* weights, const float* v, size_t v_stride, size_t size,
                               float* out) {
  const KeyRange seen = rule.band(query, 1, keys.end).within(keys);
  if (seen.empty()) return;
  const size_t skipped = seen.begin - keys.begin;
  add_visible(hn::ScalableTag<float>(), rule, head, query, seen, weights + skipped,
              v + skipped * v_stride, v_stride, size, out);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(apply_score_rule_kernel);
HWY_EXPORT(all_finite_kernel);
HWY_EXPORT(add_visible_values_kernel);

void apply_score_rule(const ScoreRule& rule, size_t head, size_t query, size_t keys,
                      float* scores) {
  HWY_DYNAMIC_DISPATCH(apply_score_rule_kernel)(rule, head, query, keys, scores);
}

bool all_finite(const float* rows, size_t stride, size_t count, size_t size) {
  return HWY_DYNAMIC_DISPATCH(all_finite_kernel)(rows, stride, count, size);
}

void add_visible_values(const ScoreRule& rule, size_t head, size_t query, KeyRange keys,
                        const float* weights, const float* v, size_t v_stride, size_t size,
                        float* out) {
  HWY_DYNAMIC_DISPATCH(add_visible_values_kernel)
  (rule, head, query, keys, weights, v, v_stride, size, out);
}

}  // namespace headway
#endif
