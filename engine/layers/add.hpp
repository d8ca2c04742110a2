// The sum of two values as a layer; a Linear right before it can do its work.
#pragma once

#include "engine/layers/layer.hpp"

namespace headway {

class AddLayer : public Layer {
 public:
  std::string_view kind() const override { return "Add"; }
  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override;
  double flops(const StepShape& step) const override;
  void run(const StepArguments& step) const override;
};

}  // namespace headway
