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

  // Scores of the sequences whose strategy needs them; made where the weights are wanted, if they
  // are.
  size_t group_scratch(const StepShape& step) const override {
    if (step.wanted[1]) return 0;
    size_t bytes = 0;
    for (int64_t i = 0; i < step.group.sequences(); ++i) {
      const AttentionShape shape = this->shape(step, i);
      if (!choose_attention(strategy_, shape).needs_scores) continue;
      const int64_t scores = checked_mul(checked_mul(shape.queries, shape.keys, "attention scores"),
                                         heads_, "attention scores");
      bytes = checked_add(
          bytes, checked_mul(static_cast<size_t>(scores), sizeof(float), "attention scores"),
          "attention scores");
    }
    return bytes;
  }

  size_t thread_scratch(const StepShape& step) const override {
    size_t bytes = 0;
    for (int64_t i = 0; i < step.group.sequences(); ++i) {
      const AttentionShape shape = this->shape(step, i);
      if (shape.queries == 0 || shape.keys == 0) continue;
      bytes =
          std::max(bytes, choose_attention(strategy_, shape).scratch_bytes(shape, step.wanted[1]));
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

  AttentionShape shape(const StepShape& step, int64_t sequence) const {
    return shape(step.group, place(step.inputs.front()), place(step.inputs.back()), sequence);
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
  float* out = step.outputs[0].as<float>();      // null when only the weights are wanted
  float* weights = step.outputs[1].as<float>();  // null when nobody wants them
  float* scores = weights != nullptr ? weights : reinterpret_cast<float*>(step.group_scratch);

  // A sequence's items: what they are depends on its shape alone.
  struct Plan {
    AttentionShape shape;
    const AttentionMethod* method;
    AttentionItem size;
    int64_t items, heads_items;
  };
  const auto plan = [&](int64_t sequence) {
    Plan plan{.shape = shape(group, place(q), place(kv), sequence),
              .method = nullptr,
              .size = {},
              .items = 0,
              .heads_items = 0};
    if (plan.shape.queries == 0) return plan;
    plan.method = &choose_attention(strategy_, plan.shape);
    plan.size = plan.method->item_size(plan.shape);
    plan.heads_items = (heads_ + plan.size.heads - 1) / plan.size.heads;
    plan.items =
        plan.heads_items * ((plan.shape.queries + plan.size.queries - 1) / plan.size.queries);
    return plan;
  };
  // Elements of scores that a sequence has in the buffer.
  const auto scores_of = [&](const Plan& plan) {
    const bool kept = weights != nullptr || (plan.method != nullptr && plan.method->needs_scores);
    return kept ? heads_ * plan.shape.queries * plan.shape.keys : 0;
  };

  int64_t items = 0;
  for (int64_t i = 0; i < group.sequences(); ++i) items += plan(i).items;

  // Each thread gets its items in rising order, so it only moves forward through the sequences.
  int64_t sequence = 0, first_item = 0, scores_begin = 0;
  Plan now = items > 0 ? plan(0) : Plan{};
  step.team.for_each(items, [&](int64_t index) {
    while (index >= first_item + now.items) {
      first_item += now.items;
      scores_begin += scores_of(now);
      now = plan(++sequence);
    }
    const int64_t head = (index - first_item) % now.heads_items * now.size.heads;
    const int64_t query = (index - first_item) / now.heads_items * now.size.queries;
    const AttentionItem item{.head = head,
                             .heads = std::min(now.size.heads, heads_ - head),
                             .query = query,
                             .queries = std::min(now.size.queries, now.shape.queries - query)};
    const int64_t q_row = group.row(q.space.stream, sequence);
    const float* kv_rows = kv.as<const float>() + group.row(kv.space.stream, sequence) * kv.width;
    const AttentionData data{
        .q = q.as<const float>() + q_row * q.width,
        .k = kv_rows + k_column,
        .v = kv_rows + k_column + dim_,
        .out = out == nullptr ? nullptr : out + q_row * dim_,
        .scores = scores_of(now) > 0 ? scores + scores_begin : nullptr,
    };
    if (now.shape.keys > 0) {
      now.method->run(now.shape, data, item, step.thread_scratch);
      return;
    }
    // Nothing to attend to: zeros.
    for (int64_t i = 0; i < item.queries && out != nullptr; ++i) {
      std::memset(data.out + (query + i) * dim_ + head * size_, 0,
                  item.heads * size_ * sizeof(float));
    }
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
  const Value q = linear(graph, x, {qkv[0]}, name);
  const Value kv = linear(graph, memory, std::vector(qkv.begin() + 1, qkv.end()), name);
  return attend(graph, {q, kv}, dim, std::move(weights.out), options, name);
}

}  // namespace headway
