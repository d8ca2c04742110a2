// Attention between rows of heads: shapes, memory, and where each sequence lies.
#include "engine/layers/attention.hpp"

#include <algorithm>

#include "engine/base/convert.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/rows.hpp"
#include "engine/ops/attention.hpp"
#include "engine/ops/precision.hpp"
#include "engine/ops/score_options.hpp"

namespace headway {
namespace {

class AttentionLayer : public Layer {
 public:
  AttentionLayer(const HeadSizes& sizes, const MultiHeadOptions& options, bool cross)
      : sizes_(sizes),
        rule_(score_rule(options, sizes.size)),
        slopes_(options.alibi_slopes),
        relative_(options.relative_bias),
        bottom_right_(options.bottom_right),
        cross_(cross),
        has_bias_(options.bias),
        has_past_(options.past),
        strategy_(options.strategy) {}

  std::string_view kind() const override { return "Attention"; }

  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    const RowSpace pairs = pairs_of(inputs);
    const ValueType weights{DType::f32, pairs, sizes_.heads};
    if (has_bias_) {
      const ValueType& bias = inputs[bias_input()];
      ValueType one = weights;
      one.width = 1;
      if (bias != weights && bias != one)
        fail(ErrorCode::invalid_argument, "bias is ", bias.to_string(), ", expected ",
             weights.to_string(), " or a width of 1");
    }
    if (has_past_) {
      const ValueType& past = inputs[past_input()];
      expect_f32("past", past, sizes_.kv_width());
      if (past.rows.kind != RowSpace::Kind::tokens || past.rows == inputs[kv_input()].rows)
        fail(ErrorCode::invalid_argument, "past is ", past.to_string(),
             ", expected rows of tokens of another stream");
    }
    std::vector<ValueType> outputs{{DType::f32, inputs[0].rows, sizes_.heads * sizes_.value_size}};
    if (!cross_) outputs.push_back({DType::f32, inputs[0].rows, sizes_.kv_width()});
    if (!has_past_) outputs.push_back(weights);
    return outputs;
  }

  // int8 computes in bf16, too: rows of a head are too short to be worth rounding to bytes.
  std::shared_ptr<const Layer> at_precision(Precision precision) const override {
    if (precision == Precision::f32 || !is_fast(Precision::bf16)) return nullptr;
    auto other = std::make_shared<AttentionLayer>(*this);
    other->bf16_ = true;
    return other;
  }

  int64_t parameters() const override { return relative_ ? relative_.shape().elements() : 0; }
  size_t packed_bytes() const override {
    return checked_mul(static_cast<size_t>(parameters()), sizeof(float), "bytes of a bias");
  }
  void pack(std::byte* packed) const override {
    if (!relative_) return;
    read_f32(relative_.view(), 0, parameters(), reinterpret_cast<float*>(packed));
    relative_.done();
  }

  std::vector<PackedSource> packed_from() const override {
    if (!relative_) return {};
    return {{relative_, relative_.shape()[1]}};
  }

  // q k^T and w v, of the keys that are seen.
  double flops(const StepShape& step) const override {
    double pairs = 0;
    for (int64_t i = 0; i < step.group.sequences(); ++i) pairs += seen_pairs(shape(step, i));
    return 2.0 * static_cast<double>(sizes_.heads * (sizes_.size + sizes_.value_size)) * pairs;
  }

  // Scores of the sequences whose strategy needs them; made where the weights are wanted, if they
  // are.
  size_t group_scratch(const StepShape& step) const override {
    if (wants_weights(step.wanted)) return 0;
    size_t bytes = 0;
    for (int64_t i = 0; i < step.group.sequences(); ++i) {
      const AttentionShape shape = this->shape(step, i);
      if (!choose_attention(strategy_, shape).needs_scores) continue;
      const int64_t scores =
          checked_mul(checked_mul(shape.queries, shape.all_keys(), "attention scores"),
                      sizes_.heads, "attention scores");
      bytes = checked_add(
          bytes, checked_mul(static_cast<size_t>(scores), sizeof(float), "attention scores"),
          "attention scores");
    }
    return bytes;
  }

  size_t thread_scratch(const StepShape& step) const override {
    size_t bytes = 0;
    for (int64_t i = 0; i < step.group.sequences(); ++i) {
      bytes =
          std::max(bytes, attend_scratch(strategy_, shape(step, i), wants_weights(step.wanted)));
    }
    return bytes;
  }

  void run(const StepArguments& step) const override;

 private:
  // What shapes depend on in an input.
  struct Place {
    int32_t stream = 0;
    int64_t width = 0;
  };
  static const RowSpace& space(const ValueType& type) { return type.rows; }
  static const RowSpace& space(const Buffer& buffer) { return buffer.space; }
  struct Places {
    Place q, kv, past;
    int64_t bias_width = 0;
  };
  template <typename Inputs>
  Places places(const Inputs& inputs) const {
    const auto place = [&](size_t i) { return Place{space(inputs[i]).stream, inputs[i].width}; };
    return {.q = place(0),
            .kv = place(kv_input()),
            .past = has_past_ ? place(past_input()) : Place{},
            .bias_width = has_bias_ ? inputs[bias_input()].width : 0};
  }

  size_t kv_input() const { return cross_ ? 1 : 0; }
  size_t bias_input() const { return kv_input() + 1; }
  size_t past_input() const { return kv_input() + 1; }
  size_t weights_output() const { return cross_ ? 1 : 2; }
  bool wants_weights(std::span<const bool> wanted) const {
    return !has_past_ && wanted[weights_output()];
  }
  RowSpace pairs_of(std::span<const ValueType> inputs) const {
    return {RowSpace::Kind::pairs, inputs[0].rows.stream, inputs[kv_input()].rows.stream};
  }

  AttentionShape shape(const StepShape& step, int64_t sequence) const {
    return shape(step.group, places(step.inputs), sequence);
  }
  // Everything but the rule's pointers.
  AttentionShape shape(const Group& group, const Places& at, int64_t sequence) const {
    const auto [heads, kv_heads, size, value_size] = sizes_;
    const int64_t past_width = sizes_.kv_width();
    AttentionShape shape{.queries = group.length(at.q.stream, sequence),
                         .past = has_past_ ? group.length(at.past.stream, sequence) : 0,
                         .keys = group.length(at.kv.stream, sequence),
                         .heads = heads,
                         .kv_heads = kv_heads,
                         .size = size,
                         .value_size = value_size,
                         .q = {size, at.q.width},
                         .k = {size, at.kv.width},
                         .v = {value_size, at.kv.width},
                         .past_k = {size, past_width},
                         .past_v = {value_size, past_width},
                         .out = {value_size, heads * value_size},
                         .rule = rule_,
                         .bf16 = bf16_};
    shape.scores = {shape.queries * shape.all_keys(), shape.all_keys()};
    shape.rule.position = bottom_right_ ? shape.keys - shape.queries : shape.past;
    shape.rule.visible_keys =
        static_cast<size_t>(shape.past + group.key_length(at.kv.stream, sequence));
    shape.rule.slopes = slopes_.empty() ? nullptr : slopes_.data();
    if (has_bias_) {
      shape.rule.bias = {.head = at.bias_width == 1 ? 0 : shape.scores.head,
                         .query = shape.scores.token,
                         .key = 1};
    }
    if (relative_) {
      const int64_t distances = relative_.shape()[1];
      shape.rule.relative_head = relative_.shape()[0] == 1 ? 0 : distances;
      shape.rule.radius = distances / 2;
    }
    return shape;
  }

  // About so many pairs of a query and a key that it sees.
  static double seen_pairs(const AttentionShape& s) {
    const auto queries = static_cast<double>(s.queries);
    if (!s.rule.has_band()) return queries * static_cast<double>(s.rule.visible_keys);
    const size_t middle = static_cast<size_t>(s.queries / 2);
    const KeyRange seen = s.rule.band(middle, 1, static_cast<size_t>(s.all_keys()));
    return queries * static_cast<double>(seen.end - seen.begin);
  }

  HeadSizes sizes_;
  ScoreRule rule_;  // without pointers and position
  std::vector<float> slopes_;
  Weight relative_;
  bool bottom_right_, cross_, has_bias_, has_past_;
  AttentionStrategy strategy_;
  bool bf16_ = false;
};

void AttentionLayer::run(const StepArguments& step) const {
  const Places at = places(step.inputs);
  const Buffer& q = step.inputs[0];
  const Buffer& kv = step.inputs[kv_input()];
  const Group& group = step.group;
  const int64_t k_column = kv.width - sizes_.kv_width();
  const int64_t v_column = sizes_.kv_heads * sizes_.size;  // counted from k's
  // Null where nobody wants them.
  float* out = step.outputs[0].as<float>();
  float* keys_values = cross_ ? nullptr : step.outputs[1].as<float>();
  float* weights = has_past_ ? nullptr : step.outputs[weights_output()].as<float>();

  if (keys_values != nullptr) {
    for_row_blocks(step.team, kv.rows, [&](int64_t begin, int64_t count) {
      for (int64_t row = begin; row < begin + count; ++row) {
        std::copy_n(kv.as<const float>() + row * kv.width + k_column, sizes_.kv_width(),
                    keys_values + row * sizes_.kv_width());
      }
    });
  }
  if (out == nullptr && weights == nullptr) return;

  float* scores = nullptr;      // where those of the next sequence lie
  const float* bias = nullptr;  // the same
  attend(
      step.team, strategy_, group.sequences(),
      [&](int64_t i) {
        if (i == 0) {
          scores = weights != nullptr ? weights : reinterpret_cast<float*>(step.group_scratch);
          bias = has_bias_ ? step.inputs[bias_input()].as<const float>() : nullptr;
        }
        AttentionShape shape = this->shape(group, at, i);
        const int64_t q_row = group.row(at.q.stream, i);
        const float* k = kv.as<const float>() + group.row(at.kv.stream, i) * kv.width + k_column;
        AttentionData data{.q = q.as<const float>() + q_row * q.width,
                           .k = k,
                           .v = k + v_column,
                           .out = out == nullptr ? nullptr : out + q_row * shape.out.token};
        if (has_past_) {
          data.past_k = step.inputs[past_input()].as<const float>() +
                        group.row(at.past.stream, i) * sizes_.kv_width();
          data.past_v = data.past_k + v_column;
        }
        if (relative_) shape.rule.relative = reinterpret_cast<const float*>(step.packed);
        if (has_bias_) {
          shape.rule.bias.data = bias;
          bias += at.bias_width * shape.scores.head;
        }
        if (weights != nullptr || choose_attention(strategy_, shape).needs_scores) {
          data.scores = scores;
          scores += sizes_.heads * shape.scores.head;
        }
        return AttentionSequence{shape, data};
      },
      step.thread_scratch);
}

}  // namespace

std::shared_ptr<const Layer> attention_layer(const HeadSizes& sizes,
                                             const MultiHeadOptions& options, bool cross) {
  return std::make_shared<const AttentionLayer>(sizes, options, cross);
}

}  // namespace headway
