// Linear, alone or with the activation, the residual and the layer norm that follow it.
#include "engine/ops/linear.hpp"

#include <optional>

#include "engine/layers/activation.hpp"
#include "engine/layers/add.hpp"
#include "engine/layers/build.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/layer_norm.hpp"
#include "engine/ops/precision.hpp"

namespace headway {
namespace {

int64_t total_out(std::span<const LinearWeights> parts) {
  int64_t out = 0;
  for (const LinearWeights& part : parts)
    out = checked_add(out, part.weight.shape()[0], "outputs of a Linear");
  return out;
}

// Checks the parts among each other and returns how many inputs they take.
int64_t checked_in(std::span<const LinearWeights> parts) {
  if (parts.empty()) fail(ErrorCode::invalid_argument, "no weights, expected at least one");
  expect_weight("weight", parts[0].weight, {-1, -1});
  const int64_t in = parts[0].weight.shape()[1];
  for (const LinearWeights& part : parts) {
    expect_weight("weight", part.weight, {-1, in});
    if (static_cast<bool>(part.bias) != static_cast<bool>(parts[0].bias)) {
      fail(ErrorCode::invalid_argument,
           "some parts have a bias and some have none, expected all or none");
    }
    if (part.bias) expect_weight("bias", part.bias, {part.weight.shape()[0]});
  }
  return in;
}

// Inputs: x, and the residual where one is fused. Packed: the PackedLinear, then the fused
// LayerNorm.
class LinearLayer : public Layer {
 public:
  explicit LinearLayer(std::vector<LinearWeights> parts) : parts_(std::move(parts)) {
    const int64_t in = checked_in(parts_);  // before anything looks into the parts
    packed_ = std::make_shared<const PackedLinear>(Precision::f32, in, total_out(parts_),
                                                   static_cast<bool>(parts_[0].bias));
  }

  std::string_view kind() const override { return "Linear"; }

  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    expect_f32("x", inputs[0], packed_->in());
    expect_rows("x", inputs[0]);
    return {{DType::f32, inputs[0].rows, packed_->out()}};
  }

  std::shared_ptr<const Layer> fuse(const Layer& next, size_t) const override {
    if (norm_) return nullptr;
    auto fused = std::make_shared<LinearLayer>(*this);
    if (const auto* follower = dynamic_cast<const LayerNormLayer*>(&next)) {
      fused->norm_ = *follower;
      return fused;
    }
    if (residual_) return nullptr;
    if (const auto* follower = dynamic_cast<const ActivationLayer*>(&next);
        follower && activation_ == Activation::none) {
      fused->activation_ = follower->activation();
      return fused;
    }
    if (dynamic_cast<const AddLayer*>(&next)) {
      fused->residual_ = true;
      return fused;
    }
    return nullptr;
  }

  std::shared_ptr<const Layer> at_precision(Precision precision) const override {
    if (precision == Precision::int8 && packed_->in() > PackedLinear::kMostByteInputs)
      precision = is_fast(Precision::bf16) ? Precision::bf16 : Precision::f32;
    auto other = std::make_shared<LinearLayer>(*this);
    other->packed_ = std::make_shared<const PackedLinear>(precision, packed_->in(), packed_->out(),
                                                          packed_->bias());
    return other;
  }

  int64_t parameters() const override {
    return packed_->out() * (packed_->in() + (parts_[0].bias ? 1 : 0)) +
           (norm_ ? norm_->parameters() : 0);
  }
  size_t packed_bytes() const override {
    return checked_add(packed_->packed_bytes(), norm_ ? norm_->packed_bytes() : 0,
                       "packed weights");
  }
  void pack(std::byte* packed) const override {
    packed_->pack(parts_, packed);
    if (norm_) norm_->pack(packed + packed_->packed_bytes());
  }

  std::vector<PackedSource> packed_from() const override {
    std::vector<PackedSource> sources;
    for (const LinearWeights& part : parts_) {
      sources.emplace_back(part.weight, packed_->in());
      sources.emplace_back(part.bias, 1);
    }
    if (norm_) {
      for (const PackedSource& source : norm_->packed_from()) sources.push_back(source);
    }
    return sources;
  }

  double flops(const StepShape& step) const override {
    return 2.0 * packed_->in() * packed_->out() * step.rows() + (norm_ ? norm_->flops(step) : 0);
  }
  size_t thread_scratch(const StepShape& step) const override {
    return packed_->thread_scratch(step.rows());
  }

  void run(const StepArguments& step) const override {
    const Buffer& x = step.inputs[0];
    LayerNorm norm;
    if (norm_) norm = norm_->unpacked(step.packed + packed_->packed_bytes());
    packed_->run(step.team,
                 {.x = x.as<const float>(),
                  .rows = x.rows,
                  .padded = x.padded,
                  .y = step.outputs[0].as<float>(),
                  .activation = activation_,
                  .residual = residual_ ? step.inputs[1].as<const float>() : nullptr,
                  .norm = norm_ ? &norm : nullptr},
                 step.packed, step.thread_scratch);
  }

 private:
  std::vector<LinearWeights> parts_;
  std::shared_ptr<const PackedLinear> packed_;
  Activation activation_ = Activation::none;
  bool residual_ = false;
  std::optional<LayerNormLayer> norm_;
};

}  // namespace

Value linear(Graph& graph, Value x, LinearWeights weights, const std::string& name) {
  return linear(graph, x, std::vector{std::move(weights)}, name);
}

Value linear(Graph& graph, Value x, std::vector<LinearWeights> parts, const std::string& name) {
  return add_layer<LinearLayer>(graph, name, {x}, std::move(parts));
}

}  // namespace headway
