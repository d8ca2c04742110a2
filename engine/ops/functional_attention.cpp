// Attention as a function: checks, then a team over all sequences.
#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/base/checked.hpp"
#include "engine/ops/attention.hpp"
#include "engine/ops/attention_checks.hpp"
#include "engine/ops/instruction_set.hpp"
#include "engine/ops/score_options.hpp"
#include "engine/platform/cpu.hpp"
#include "engine/runtime/aligned_memory.hpp"
#include "engine/runtime/parallel.hpp"
#include "headway/attention.hpp"

namespace headway {
namespace {

// A view's part of one sequence.
template <typename Pointer>
auto sequence_of(const BasicStridedView<Pointer>& view, int64_t i) {
  using Element =
      std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const float, float>;
  return view.data == nullptr ? nullptr : static_cast<Element*>(view.data) + i * view.strides[0];
}

template <typename View>
HeadStrides strides_of(const View& view) {
  return {view.strides[1], view.strides[2]};
}

// The strides of a mask or a bias, 0 along axes that it stands for all of.
template <typename T>
ScoreTensor<T> score_tensor(const StridedView& view, int64_t sequence) {
  if (!view) return {};
  const auto stride = [&](size_t axis) { return view.extents[axis] == 1 ? 0 : view.strides[axis]; };
  return {.data = static_cast<const T*>(view.data) + sequence * stride(0),
          .head = stride(1),
          .query = stride(2),
          .key = stride(3)};
}

class Call {
 public:
  Call(const StridedView& q, const StridedView& k, const StridedView& v,
       const MutableStridedView& out, const AttentionOptions& options)
      : q_(q), k_(k), v_(v), out_(out), options_(options), sizes_(check(q, k, v, out, options)) {}

  void run();

 private:
  AttentionSequence sequence(int64_t i) const;
  ScoreRule rule(int64_t i) const;
  int64_t keys(int64_t i) const {
    return options_.key_lengths.empty() ? sizes_.keys
                                        : options_.key_lengths[static_cast<size_t>(i)];
  }
  int threads() const;
  void copy_present(Team& team) const;
  void fill_unread(Team& team) const;

  const StridedView &q_, &k_, &v_;
  const MutableStridedView& out_;
  const AttentionOptions& options_;
  const AttentionSizes sizes_;
  float* own_scores_ = nullptr;  // [B, H, Tq, P + Tk], of a strategy that needs them
};

ScoreRule Call::rule(int64_t i) const {
  const AttentionOptions& o = options_;
  ScoreRule rule = score_rule(o, sizes_.size);
  rule.position = sizes_.past;
  if (!o.key_lengths.empty() || o.bottom_right) rule.position = keys(i) - sizes_.queries;
  for (const StridedView* view : {&o.mask, &o.bias}) {
    // Fewer keys than there are: the rest is hidden.
    if (*view && view->extents[3] != 1)
      rule.visible_keys = std::min(rule.visible_keys, static_cast<size_t>(view->extents[3]));
  }
  rule.mask = score_tensor<uint8_t>(o.mask, i);
  rule.bias = score_tensor<float>(o.bias, i);
  rule.slopes = o.alibi_slopes.empty() ? nullptr : o.alibi_slopes.data();
  if (o.relative_bias.data != nullptr) {
    const int64_t distances = o.relative_bias.shape[1];
    rule.relative = static_cast<const float*>(o.relative_bias.data);
    rule.relative_head = o.relative_bias.shape[0] == 1 ? 0 : distances;
    rule.radius = distances / 2;
  }
  return rule;
}

AttentionSequence Call::sequence(int64_t i) const {
  const AttentionOptions& o = options_;
  AttentionShape shape{.queries = sizes_.queries,
                       .past = sizes_.past,
                       .keys = keys(i),
                       .heads = sizes_.heads,
                       .kv_heads = sizes_.kv_heads,
                       .size = sizes_.size,
                       .value_size = sizes_.value_size,
                       .q = strides_of(q_),
                       .k = strides_of(k_),
                       .v = strides_of(v_),
                       .past_k = strides_of(o.past_key),
                       .past_v = strides_of(o.past_value),
                       .out = strides_of(out_),
                       .rule = rule(i)};
  AttentionData data{.q = sequence_of(q_, i),
                     .k = sequence_of(k_, i),
                     .v = sequence_of(v_, i),
                     .past_k = sequence_of(o.past_key, i),
                     .past_v = sequence_of(o.past_value, i),
                     .out = sequence_of(out_, i)};
  const bool weights = o.scores && o.score_stage == ScoreStage::weights;
  if (weights) {
    data.scores = sequence_of(o.scores, i);
    shape.scores = strides_of(o.scores);
  } else {
    if (o.scores) {
      data.stage_scores = sequence_of(o.scores, i);
      shape.stage_scores = strides_of(o.scores);
      shape.stage = o.score_stage;
    }
    shape.scores = {sizes_.queries * sizes_.all_keys(), sizes_.all_keys()};
    if (own_scores_ != nullptr) data.scores = own_scores_ + i * sizes_.heads * shape.scores.head;
  }
  return {shape, data};
}

// As many as the work is worth: below some 20 us of it a further thread costs more than it brings.
int Call::threads() const {
  static const int cores = default_threads();
  constexpr double kFlops = 2e6;
  const double flops =
      2.0 * static_cast<double>(sizes_.batch * sizes_.heads) * static_cast<double>(sizes_.queries) *
      static_cast<double>(sizes_.all_keys()) * static_cast<double>(sizes_.size + sizes_.value_size);
  const int most = options_.threads == 0 ? cores : options_.threads;
  return static_cast<int>(std::clamp(flops / kFlops, 1.0, static_cast<double>(most)));
}

void Call::copy_present(Team& team) const {
  struct Copy {
    const StridedView &past, &now;
    const MutableStridedView& present;
  };
  for (const Copy& copy : {Copy{options_.past_key, k_, options_.present_key},
                           Copy{options_.past_value, v_, options_.present_value}}) {
    if (!copy.present) continue;
    team.for_each(sizes_.batch * sizes_.kv_heads, [&](int64_t index) {
      const int64_t sequence = index / sizes_.kv_heads, head = index % sizes_.kv_heads;
      float* to = sequence_of(copy.present, sequence) + head * copy.present.strides[1];
      const auto append = [&](const StridedView& from, int64_t count) {
        const float* row = sequence_of(from, sequence) + head * from.strides[1];
        const int64_t step = from.strides[2], to_step = copy.present.strides[2];
        if (row == to && (step == to_step || count == 1)) count = 0;  // there already
        for (int64_t i = 0; i < count; ++i, row += step)
          std::memcpy(to + i * to_step, row, static_cast<size_t>(from.extents[3]) * sizeof(float));
      };
      if (sizes_.past > 0) append(copy.past, sizes_.past);
      to += sizes_.past * copy.present.strides[2];
      if (sizes_.keys > 0) append(copy.now, sizes_.keys);
    });
  }
}

// Scores of keys beyond a key length.
void Call::fill_unread(Team& team) const {
  if (!options_.scores || options_.key_lengths.empty()) return;
  const float value =
      options_.score_stage == ScoreStage::bias ? -std::numeric_limits<float>::infinity() : 0.0f;
  const MutableStridedView& scores = options_.scores;
  team.for_each(sizes_.batch * sizes_.heads, [&](int64_t index) {
    const int64_t sequence = index / sizes_.heads;
    float* row = sequence_of(scores, sequence) + index % sizes_.heads * scores.strides[1];
    for (int64_t i = 0; i < sizes_.queries; ++i, row += scores.strides[2])
      std::fill(row + keys(sequence), row + sizes_.keys, value);
  });
}

void Call::run() {
  if (options_.stop.stop_requested()) fail(ErrorCode::cancelled, "the call was cancelled");
  if (sizes_.batch == 0) return;
  hold_instruction_set();
  const bool weights = options_.scores && options_.score_stage == ScoreStage::weights;
  size_t scratch = 0, scores = 0;
  for (int64_t i = 0; i < sizes_.batch; ++i) {
    const AttentionShape shape = sequence(i).shape;
    scratch = std::max(scratch, attend_scratch(options_.strategy, shape, weights));
    if (!weights && choose_attention(options_.strategy, shape).needs_scores)
      scores = static_cast<size_t>(sizes_.scores) * sizeof(float);
  }
  scratch = checked_round_up<size_t>(scratch, 64, "scratch of attention");
  const int threads = this->threads();
  const size_t all_scratch =
      checked_mul<size_t>(scratch, static_cast<size_t>(threads), "scratch of attention");
  const AlignedMemory memory = allocate_aligned(
      checked_add<size_t>(all_scratch, scores, "scratch of attention"), "attention");
  if (scores > 0) own_scores_ = reinterpret_cast<float*>(memory.get() + all_scratch);
  run_team(threads, [&](Team& team) {
    team.heed(options_.stop);
    copy_present(team);
    attend(
        team, options_.strategy, sizes_.batch, [&](int64_t i) { return sequence(i); },
        memory.get() + scratch * static_cast<size_t>(team.rank()));
    fill_unread(team);
  });
}

}  // namespace

const char* to_string(ScoreStage stage) {
  switch (stage) {
    case ScoreStage::raw:
      return "raw";
    case ScoreStage::softcap:
      return "softcap";
    case ScoreStage::bias:
      return "bias";
    case ScoreStage::weights:
      return "weights";
  }
  return "?";
}

void attention(const StridedView& q, const StridedView& k, const StridedView& v,
               const MutableStridedView& out, const AttentionOptions& options) {
  Call(q, k, v, out, options).run();
}

}  // namespace headway
