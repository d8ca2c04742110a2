// Layer normalization as a layer; a layer right before it that makes whole rows can do its work.
#pragma once

#include "engine/kernels/layer_norm.hpp"
#include "engine/layers/layer.hpp"
#include "headway/weights.hpp"

namespace headway {

// Packed: gamma, then beta where there is one.
class LayerNormLayer : public Layer {
 public:
  LayerNormLayer(Weight gamma, Weight beta, float epsilon);

  std::string_view kind() const override { return "LayerNorm"; }
  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override;
  int64_t parameters() const override { return width() * (beta_ ? 2 : 1); }
  size_t packed_bytes() const override { return static_cast<size_t>(parameters()) * sizeof(float); }
  void pack(std::byte* packed) const override;
  std::vector<PackedSource> packed_from() const override { return {{gamma_, 1}, {beta_, 1}}; }
  double flops(const StepShape& step) const override;
  void run(const StepArguments& step) const override;

  // What the kernel takes, from what pack() wrote.
  LayerNorm unpacked(const std::byte* packed) const;

 private:
  int64_t width() const { return gamma_.shape()[0]; }

  Weight gamma_, beta_;
  float epsilon_;
};

}  // namespace headway
