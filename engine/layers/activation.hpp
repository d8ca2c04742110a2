// An element-wise activation as a layer; other layers can do its work when they come right before
// it.
#pragma once

#include "engine/layers/layer.hpp"
#include "headway/layers.hpp"

namespace headway {

class ActivationLayer : public Layer {
 public:
  explicit ActivationLayer(Activation activation) : activation_(activation) {}
  Activation activation() const { return activation_; }

  std::string_view kind() const override { return "Activation"; }
  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override;
  double flops(const StepShape& step) const override;
  void run(const StepArguments& step) const override;

 private:
  Activation activation_;
};

}  // namespace headway
