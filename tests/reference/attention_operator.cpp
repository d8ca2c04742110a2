// Oracle: headway::attention with all its options, in scalar double precision.
#include "tests/reference/attention_operator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double element(const StridedView& view, int64_t b, int64_t h, int64_t t, int64_t c) {
  const std::array<int64_t, 4> index = {b, h, t, c};
  int64_t at = 0;
  for (size_t axis = 0; axis < 4; ++axis) at += index[axis] * view.strides[axis];
  switch (view.dtype) {
    case DType::f64:
      return static_cast<const double*>(view.data)[at];
    case DType::f32:
      return static_cast<const float*>(view.data)[at];
    case DType::boolean:
      return static_cast<const uint8_t*>(view.data)[at];
    default:
      throw std::invalid_argument("reference::attention: a type without a meaning here");
  }
}

// The element of a mask or bias for query i and key j, or `beyond` where it has fewer keys. An
// extent of 1 stands for all.
double broadcast(const StridedView& view, int64_t b, int64_t h, int64_t i, int64_t j,
                 double beyond) {
  const auto on = [&](size_t axis, int64_t index) { return view.extents[axis] == 1 ? 0 : index; };
  if (on(3, j) >= view.extents[3]) return beyond;
  return element(view, on(0, b), on(1, h), on(2, i), on(3, j));
}

class Operator {
 public:
  Operator(const StridedView& q, const StridedView& k, const StridedView& v,
           const AttentionOptions& options)
      : q_(q),
        k_(k),
        v_(v),
        options_(options),
        heads_(q.extents[1]),
        kv_heads_(k.extents[1]),
        queries_(q.extents[2]),
        past_(options.past_key ? options.past_key.extents[2] : 0),
        keys_(past_ + k.extents[2]) {}

  AttentionOutputs run() const {
    AttentionOutputs result;
    for (int64_t b = 0; b < q_.extents[0]; ++b) {
      for (int64_t h = 0; h < heads_; ++h)
        for (int64_t i = 0; i < queries_; ++i) add_row(b, h, i, result);
      for (int64_t h = 0; h < kv_heads_; ++h) {
        for (int64_t j = 0; j < keys_; ++j) {
          for (int64_t c = 0; c < k_.extents[3]; ++c)
            result.present_key.push_back(present(options_.past_key, k_, b, h, j, c));
          for (int64_t c = 0; c < v_.extents[3]; ++c)
            result.present_value.push_back(present(options_.past_value, v_, b, h, j, c));
        }
      }
    }
    return result;
  }

 private:
  double present(const StridedView& past, const StridedView& now, int64_t b, int64_t h, int64_t j,
                 int64_t c) const {
    return j < past_ ? element(past, b, h, j, c) : element(now, b, h, j - past_, c);
  }

  // Keys that there are for this sequence.
  int64_t length(int64_t b) const {
    return options_.key_lengths.empty() ? keys_ : options_.key_lengths[static_cast<size_t>(b)];
  }

  // Where query i stands among the keys.
  int64_t position(int64_t b, int64_t i) const {
    if (options_.past_key) return i + past_;
    if (!options_.key_lengths.empty() || options_.bottom_right) return i + length(b) - queries_;
    return i;
  }

  double scaled_product(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const int64_t size = q_.extents[3];
    const double scale =
        options_.scale ? double{*options_.scale} : 1 / std::sqrt(static_cast<double>(size));
    double sum = 0;
    for (int64_t c = 0; c < size; ++c)
      sum += element(q_, b, h, i, c) * present(options_.past_key, k_, b, kv_head(h), j, c);
    return scale * sum;
  }

  double added(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const int64_t distance = j - position(b, i);
    double sum = 0;
    if (options_.bias) sum += broadcast(options_.bias, b, h, i, j, -kInfinity);
    if (!options_.alibi_slopes.empty()) {
      const double slope = options_.alibi_slopes[static_cast<size_t>(h)];
      sum -= slope * static_cast<double>(std::abs(distance));
    }
    if (const TensorView& vectors = options_.relative_bias; vectors.data) {
      const int64_t reach = vectors.shape[1] / 2;
      const int64_t row = vectors.shape[0] == 1 ? 0 : h;
      const int64_t column = std::clamp(distance, -reach, reach) + reach;
      sum += static_cast<const float*>(vectors.data)[row * vectors.shape[1] + column];
    }
    return sum;
  }

  bool hidden(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const int64_t at = position(b, i);
    return j >= length(b) || (options_.causal && j > at) ||
           (options_.left_window && j < at - *options_.left_window) ||
           (options_.right_window && j > at + *options_.right_window) ||
           (options_.mask && broadcast(options_.mask, b, h, i, j, 0) == 0) ||
           added(b, h, i, j) == -kInfinity;
  }

  int64_t kv_head(int64_t h) const { return h / (heads_ / kv_heads_); }

  // Everything of query i of head h.
  void add_row(int64_t b, int64_t h, int64_t i, AttentionOutputs& result) const {
    const auto count = static_cast<size_t>(keys_);
    std::vector<double> raw(count), capped(count), biased(count, -kInfinity), weights(count);
    std::vector<size_t> visible;
    double maximum = -kInfinity;
    for (size_t key = 0; key < count; ++key) {
      const auto j = static_cast<int64_t>(key);
      if (j >= length(b)) continue;
      const double cap = options_.softcap;
      raw[key] = scaled_product(b, h, i, j);
      capped[key] = cap > 0 ? cap * std::tanh(raw[key] / cap) : raw[key];
      if (hidden(b, h, i, j)) continue;
      biased[key] = capped[key] + added(b, h, i, j);
      maximum = std::max(maximum, biased[key]);
      visible.push_back(key);
    }
    double sum = 0;
    for (const size_t key : visible) sum += weights[key] = std::exp(biased[key] - maximum);
    std::vector<double> out(static_cast<size_t>(v_.extents[3]));
    for (const size_t key : visible) {
      weights[key] /= sum;
      for (size_t c = 0; c < out.size(); ++c)
        out[c] += weights[key] * present(options_.past_value, v_, b, kv_head(h),
                                         static_cast<int64_t>(key), static_cast<int64_t>(c));
    }
    const auto append = [](std::vector<double>& to, const std::vector<double>& row) {
      to.insert(to.end(), row.begin(), row.end());
    };
    append(result.out, out);
    append(result.scores[static_cast<size_t>(ScoreStage::raw)], raw);
    append(result.scores[static_cast<size_t>(ScoreStage::softcap)], capped);
    append(result.scores[static_cast<size_t>(ScoreStage::bias)], biased);
    append(result.scores[static_cast<size_t>(ScoreStage::weights)], weights);
  }

  const StridedView &q_, &k_, &v_;
  const AttentionOptions& options_;
  int64_t heads_, kv_heads_, queries_, past_, keys_;
};

}  // namespace

AttentionOutputs attention(const StridedView& q, const StridedView& k, const StridedView& v,
                           const AttentionOptions& options) {
  return Operator(q, k, v, options).run();
}

}  // namespace headway::reference
