// Multi-head attention: q, k, v projections, attention, output projection.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/layers/build.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/layer.hpp"
#include "engine/ops/attention.hpp"
#include "headway/layers.hpp"

namespace headway {
namespace {

// Attention between rows that hold q, k and v side by side. Inputs: qkv [tokens, 3 D]; or q
// [tokens, D] and kv [tokens of memory, 2 D]. Outputs: y [tokens, D] and the attention weights.
class AttentionLayer : public Layer {
 public:
  AttentionLayer(int64_t dim, const MultiHeadOptions& options)
      : dim_(dim),
        size_(dim / options.heads),
        heads_(options.heads),
        scale_(options.scale.value_or(1.0f / std::sqrt(static_cast<float>(size_)))),
        strategy_(options.strategy) {}

  std::string_view kind() const override { return "Attention"; }

  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    const RowSpace pairs{RowSpace::Kind::pairs, inputs.front().rows.stream,
                         inputs.back().rows.stream};
    return {{DType::f32, inputs.front().rows, dim_}, {DType::f32, pairs, heads_}};
  }

  // q k^T and w v.
  double flops(const StepShape& step) const override {
    return 4.0 * static_cast<double>(dim_) * static_cast<double>(step.group.rows(pairs(step)));
  }

  size_t group_scratch(const StepShape& step) const override {
    if (step.wanted[1]) return 0;  // the scores are made where the weights are wanted
    const auto pairs = static_cast<size_t>(step.group.rows(this->pairs(step)));
    return checked_mul(checked_mul(pairs, static_cast<size_t>(heads_), "attention scores"),
                       sizeof(float), "attention scores");
  }

  size_t thread_scratch(const StepShape& step) const override {
    size_t bytes = 0;
    for (int64_t i = 0; i < step.group.sequences(); ++i) {
      const AttentionShape shape =
          this->shape(step.group, place(step.inputs.front()), place(step.inputs.back()), i);
      if (shape.queries == 0 || shape.keys == 0) continue;
      bytes = std::max(bytes, choose_attention(strategy_, shape).scratch_bytes(shape));
    }
    return bytes;
  }

  void run(const StepArguments& step) const override;

 private:
  // What shapes depend on in an input.
  struct Place {
    int32_t stream;
    int64_t width;
  };
  template <typename Input>
  static Place place(const Input& input) {
    return {space(input).stream, input.width};
  }
  static const RowSpace& space(const ValueType& type) { return type.rows; }
  static const RowSpace& space(const Buffer& buffer) { return buffer.space; }

  static RowSpace pairs(const StepShape& step) {
    return {RowSpace::Kind::pairs, step.inputs.front().rows.stream, step.inputs.back().rows.stream};
  }

  AttentionShape shape(const Group& group, Place q, Place kv, int64_t sequence) const {
    return {.queries = group.length(q.stream, sequence),
            .keys = group.length(kv.stream, sequence),
            .heads = heads_,
            .size = size_,
            .q_stride = q.width,
            .k_stride = kv.width,
            .v_stride = kv.width,
            .out_stride = dim_,
            .scale = scale_};
  }

  int64_t dim_, size_, heads_;
  float scale_;
  AttentionStrategy strategy_;
};

void AttentionLayer::run(const StepArguments& step) const {
  const Buffer& q = step.inputs.front();
  const Buffer& kv = step.inputs.back();
  const Group& group = step.group;
  const int64_t k_column = kv.width - 2 * dim_;
  float* all_scores = step.outputs[1].data != nullptr
                          ? step.outputs[1].as<float>()
                          : reinterpret_cast<float*>(step.group_scratch);

  float* out = step.outputs[0].as<float>();  // null when only the weights are wanted

  // Items are (sequence, a few heads); how many heads depends on the sequence alone.
  struct Cursor {
    int64_t sequence = 0, first_item = 0, scores = 0;
  };
  const auto items_of = [&](int64_t sequence) {
    const AttentionShape shape = this->shape(group, place(q), place(kv), sequence);
    const int64_t heads = choose_attention(strategy_, shape).heads_per_item(shape);
    return (heads_ + heads - 1) / heads;
  };
  int64_t items = 0;
  for (int64_t i = 0; i < group.sequences(); ++i) items += items_of(i);

  // Each thread gets its items in rising order, so its cursor only moves forward.
  Cursor cursor;
  step.team.for_each(items, [&](int64_t item) {
    while (item >= cursor.first_item + items_of(cursor.sequence)) {
      cursor.first_item += items_of(cursor.sequence);
      cursor.scores += heads_ * group.length(q.space.stream, cursor.sequence) *
                       group.length(kv.space.stream, cursor.sequence);
      ++cursor.sequence;
    }
    const AttentionShape shape = this->shape(group, place(q), place(kv), cursor.sequence);
    const AttentionMethod& method = choose_attention(strategy_, shape);
    const int64_t heads = method.heads_per_item(shape);
    const int64_t head = (item - cursor.first_item) * heads;
    const int64_t count = std::min(heads, heads_ - head);
    const int64_t kv_row = group.row(kv.space.stream, cursor.sequence) * kv.width;
    const AttentionData data{
        .q = q.as<const float>() + group.row(q.space.stream, cursor.sequence) * q.width,
        .k = kv.as<const float>() + kv_row + k_column,
        .v = kv.as<const float>() + kv_row + k_column + dim_,
        .out = out == nullptr ? nullptr : out + group.row(q.space.stream, cursor.sequence) * dim_,
        .scores = all_scores + cursor.scores,
    };
    if (shape.queries == 0) return;
    if (shape.keys == 0) {  // nothing to attend to: zeros
      for (int64_t i = 0; i < shape.queries && out != nullptr; ++i) {
        std::memset(data.out + i * dim_ + head * size_, 0, count * size_ * sizeof(float));
      }
      return;
    }
    method.run(shape, data, head, count, step.thread_scratch);
  });
}

// D, after checking that the weights fit it and each other.
int64_t checked_dim(const MultiHeadWeights& weights, const MultiHeadOptions& options) {
  expect_weight("out.weight", weights.out.weight, {-1, -1});
  const int64_t dim = weights.out.weight.shape()[0];
  expect_weight("out.weight", weights.out.weight, {dim, dim});
  if (options.heads < 1 || dim % options.heads != 0) {
    fail(ErrorCode::invalid_argument, "heads is ", options.heads, ", expected a divisor of dim ",
         dim);
  }
  if (options.scale && !(std::isfinite(*options.scale) && *options.scale > 0)) {
    fail(ErrorCode::invalid_argument, "scale is ", *options.scale,
         ", expected a finite number above 0");
  }
  if (weights.qkv.size() != 1 && weights.qkv.size() != 3) {
    fail(ErrorCode::invalid_argument, "qkv has ", weights.qkv.size(),
         " parts, expected 1 (fused) or 3 (q, k, v)");
  }
  for (const LinearWeights& part : weights.qkv) {
    const int64_t out = weights.qkv.size() == 1 ? 3 * dim : dim;
    expect_weight("qkv weight", part.weight, {out, -1});
    if (part.bias) expect_weight("qkv bias", part.bias, {out});
  }
  return dim;
}

// Rows [begin, end) of a fused qkv Linear.
LinearWeights rows(const LinearWeights& fused, int64_t begin, int64_t end) {
  return {fused.weight.rows(begin, end), fused.bias ? fused.bias.rows(begin, end) : Weight()};
}

MultiHeadValues attend(Graph& graph, std::initializer_list<Value> qkv, int64_t dim,
                       LinearWeights out, const MultiHeadOptions& options,
                       const std::string& name) {
  const std::vector<Value> attended =
      graph.add(name, std::make_shared<const AttentionLayer>(dim, options),
                std::span(qkv.begin(), qkv.size()));
  return {linear(graph, attended[0], std::move(out), name), attended[1]};
}

template <typename Body>
auto with_name(const std::string& name, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    fail(error.code(), name.empty() ? "a layer" : cat("layer '", name, "'"),
         " (MultiHead): ", error.what());
  }
}

void expect_tokens(const char* role, const ValueType& type) {
  expect_f32(role, type);
  if (type.rows.kind != RowSpace::Kind::tokens) {
    fail(ErrorCode::invalid_argument, role, " is ", type.to_string(), ", expected rows of tokens");
  }
}

}  // namespace

MultiHeadValues multi_head(Graph& graph, Value x, MultiHeadWeights weights,
                           const MultiHeadOptions& options, const std::string& name) {
  const int64_t dim = with_name(name, [&] {
    expect_tokens("x", graph.type(x));
    return checked_dim(weights, options);
  });
  const Value qkv = linear(graph, x, std::move(weights.qkv), name);
  return attend(graph, {qkv}, dim, std::move(weights.out), options, name);
}

MultiHeadValues multi_head(Graph& graph, Value x, Value memory, MultiHeadWeights weights,
                           const MultiHeadOptions& options, const std::string& name) {
  const int64_t dim = with_name(name, [&] {
    expect_tokens("x", graph.type(x));
    expect_tokens("memory", graph.type(memory));
    return checked_dim(weights, options);
  });
  std::vector<LinearWeights>& qkv = weights.qkv;
  if (qkv.size() == 1) qkv = {rows(qkv[0], 0, dim), rows(qkv[0], dim, 3 * dim)};
  const Value q = linear(graph, x, qkv[0], name);
  const Value kv = linear(graph, memory, std::vector(qkv.begin() + 1, qkv.end()), name);
  return attend(graph, {q, kv}, dim, std::move(weights.out), options, name);
}

}  // namespace headway
