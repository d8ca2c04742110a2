// The rule of scores, on vectors.
#if defined(HEADWAY_ENGINE_KERNELS_SCORE_RULE_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADWAY_ENGINE_KERNELS_SCORE_RULE_INL_HPP_
#undef HEADWAY_ENGINE_KERNELS_SCORE_RULE_INL_HPP_
#else
#define HEADWAY_ENGINE_KERNELS_SCORE_RULE_INL_HPP_
#endif

#include <cstring>
#include <limits>

#include "engine/kernels/activation-inl.hpp"
#include "engine/kernels/partial-inl.hpp"
#include "engine/kernels/score_rule.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// p[0, n) with zeros behind, n <= Lanes(d).
template <class D>
HWY_INLINE hn::Vec<D> load_up_to(D d, const float* p, size_t n) {
  return n == hn::Lanes(d) ? hn::LoadU(d, p) : load_partial(d, p, n);
}

// The relative bias of n <= Lanes(d) keys, the first of them at `distance`.
template <class D>
HWY_INLINE hn::Vec<D> relative_bias(D d, const ScoreRule& rule, size_t head, ptrdiff_t distance,
                                    size_t n) {
  const float* middle =
      rule.relative + static_cast<ptrdiff_t>(head) * rule.relative_head + rule.radius;
  if (distance >= -rule.radius && distance + static_cast<ptrdiff_t>(n) - 1 <= rule.radius)
    return load_up_to(d, middle + distance, n);
  HWY_ALIGN float each[hn::MaxLanes(D())] = {};
  for (size_t j = 0; j < n; ++j) {
    const ptrdiff_t at = distance + static_cast<ptrdiff_t>(j);
    each[j] = middle[std::clamp(at, -rule.radius, rule.radius)];
  }
  return hn::Load(d, each);
}

// Where the mask hides one of n <= Lanes(d) keys.
template <class D>
HWY_INLINE hn::Mask<D> masked(D d, const ScoreTensor<uint8_t>& mask, const uint8_t* row, size_t key,
                              size_t n) {
  const hn::Rebind<uint8_t, D> d8;
  const hn::Rebind<int32_t, D> d32;
  if (mask.key == 0) return hn::RebindMask(d, hn::Eq(hn::Set(d32, row[0]), hn::Zero(d32)));
  HWY_ALIGN uint8_t each[HWY_MAX(hn::MaxLanes(D()), size_t{16})] = {};
  std::memcpy(each, row + key, n);
  return hn::RebindMask(d, hn::Eq(hn::PromoteTo(d32, hn::Load(d8, each)), hn::Zero(d32)));
}

// Scores of keys [key, key + n) of one query, all of them in its band.
template <class D>
void adjust_scores(D d, const ScoreRule& rule, size_t head, size_t query, size_t key, size_t n,
                   float* HWY_RESTRICT scores) {
  const size_t lanes = hn::Lanes(d);
  const auto hidden_score = hn::Set(d, -std::numeric_limits<float>::infinity());
  const auto scale = hn::Set(d, rule.scale);
  const auto cap = hn::Set(d, rule.softcap);
  const auto slope = hn::Set(d, rule.slopes == nullptr ? 0 : -rule.slopes[head]);
  const float* bias = rule.bias.data == nullptr ? nullptr : rule.bias.row(head, query);
  const uint8_t* mask = rule.mask.data == nullptr ? nullptr : rule.mask.row(head, query);
  ptrdiff_t distance = static_cast<ptrdiff_t>(key) - static_cast<ptrdiff_t>(query) - rule.position;
  for (size_t i = 0; i < n; i += lanes, distance += static_cast<ptrdiff_t>(lanes)) {
    const size_t count = HWY_MIN(lanes, n - i);
    auto s = hn::Mul(scale, load_up_to(d, scores + i, count));
    if (rule.softcap > 0) s = hn::Mul(cap, Tanh()(d, hn::Div(s, cap)));
    auto added = hn::Zero(d);
    if (bias != nullptr) {
      added = rule.bias.key == 0 ? hn::Set(d, bias[0]) : load_up_to(d, bias + (key + i), count);
    }
    if (rule.slopes != nullptr) {
      // Exact up to 2^24 keys.
      const auto away =
          hn::Abs(hn::Add(hn::Iota(d, 0.0f), hn::Set(d, static_cast<float>(distance))));
      added = hn::Add(added, hn::Mul(slope, away));
    }
    if (rule.relative != nullptr)
      added = hn::Add(added, relative_bias(d, rule, head, distance, count));
    s = hn::Add(s, added);
    auto hidden = hn::Eq(added, hidden_score);
    if (mask != nullptr) hidden = hn::Or(hidden, masked(d, rule.mask, mask, key + i, count));
    s = hn::IfThenElse(hidden, hidden_score, s);
    if (count == lanes) {
      hn::StoreU(s, d, scores + i);
    } else {
      store_partial(d, s, scores + i, count);
    }
  }
}

// As above, for one key of the band and without its score.
inline bool hidden(const ScoreRule& rule, size_t head, size_t query, size_t key) {
  const hn::CappedTag<float, 1> d;
  HWY_ALIGN float score[hn::MaxLanes(hn::ScalableTag<float>())] = {0};
  adjust_scores(d, rule, head, query, key, 1, score);
  return score[0] == -std::numeric_limits<float>::infinity();
}

// See add_visible_values(); `keys` lie in the query's band.
template <class D>
void add_visible(D d, const ScoreRule& rule, size_t head, size_t query, KeyRange keys,
                 const float* weights, const float* v, size_t v_stride, size_t size,
                 float* HWY_RESTRICT out) {
  const size_t lanes = hn::Lanes(d);
  for (size_t key = keys.begin; key < keys.end; ++key, ++weights, v += v_stride) {
    if (hidden(rule, head, query, key)) continue;
    const auto w = hn::Set(d, *weights);
    size_t i = 0;
    for (; i + lanes <= size; i += lanes)
      hn::StoreU(hn::MulAdd(w, hn::LoadU(d, v + i), hn::LoadU(d, out + i)), d, out + i);
    if (i < size) {
      const auto sum =
          hn::MulAdd(w, load_partial(d, v + i, size - i), load_partial(d, out + i, size - i));
      store_partial(d, sum, out + i, size - i);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#endif  // include guard, once per target
