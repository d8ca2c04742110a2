// Element-wise activations.
#include "engine/layers/activation.hpp"

#include "engine/kernels/epilogue.hpp"
#include "engine/layers/build.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/rows.hpp"

namespace headway {

const char* to_string(Activation activation) {
  switch (activation) {
    case Activation::none:
      return "none";
    case Activation::gelu_erf:
      return "gelu_erf";
    case Activation::gelu_tanh:
      return "gelu_tanh";
    case Activation::relu:
      return "relu";
    case Activation::tanh:
      return "tanh";
    case Activation::silu:
      return "silu";
  }
  return "unknown";
}

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
    // One long row: how the elements lie in rows makes no difference to them.
    epilogue({.product = x.as<const float>() + begin,
              .y = step.outputs[0].as<float>() + begin,
              .rows = 1,
              .width = static_cast<size_t>(rows * x.width),
              .activation = activation_});
  });
}

Value activation(Graph& graph, Value x, Activation kind, const std::string& name) {
  return add_layer<ActivationLayer>(graph, name, {x}, kind);
}

}  // namespace headway
