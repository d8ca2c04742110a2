// Element-wise activations.
#include "engine/layers/activation.hpp"

#include "engine/layers/build.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/rows.hpp"
#include "engine/ops/activation.hpp"

namespace headway {

std::vector<ValueType> ActivationLayer::infer(std::span<const ValueType> inputs) const {
  expect_f32("x", inputs[0]);
  return {inputs[0]};
}

double ActivationLayer::flops(const StepShape& step) const {
  return static_cast<double>(step.rows()) * static_cast<double>(step.inputs[0].width);
}

void ActivationLayer::run(const StepArguments& step) const {
  const Buffer& x = step.inputs[0];
  for_row_blocks(step.team, x.rows, [&](int64_t row, int64_t rows) {
    const int64_t begin = row * x.width;
    activate(activation_, x.as<const float>() + begin, rows * x.width,
             step.outputs[0].as<float>() + begin);
  });
}

Value activation(Graph& graph, Value x, Activation kind, const std::string& name) {
  return add_layer<ActivationLayer>(graph, name, {x}, kind);
}

}  // namespace headway
