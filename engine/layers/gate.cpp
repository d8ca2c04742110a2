// Gated linear units as a layer.
#include "engine/kernels/gate.hpp"

#include "engine/layers/build.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/rows.hpp"
#include "headway/layers.hpp"

namespace headway {
namespace {

class GateLayer : public Layer {
 public:
  explicit GateLayer(Activation activation) : activation_(activation) {}

  std::string_view kind() const override { return "Gate"; }

  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    expect_f32("x", inputs[0]);
    expect_rows("x", inputs[0]);
    if (inputs[0].width % 2 != 0)
      fail(ErrorCode::invalid_argument, "x is ", inputs[0].to_string(), ", expected an even width");
    return {{DType::f32, inputs[0].rows, inputs[0].width / 2}};
  }

  double flops(const StepShape& step) const override {
    return static_cast<double>(step.rows()) * static_cast<double>(step.inputs[0].width);
  }

  void run(const StepArguments& step) const override {
    const Buffer &x = step.inputs[0], &y = step.outputs[0];
    for_row_blocks(step.team, x.rows, [&](int64_t row, int64_t rows) {
      headway::gate(x.as<const float>() + row * x.width, static_cast<size_t>(rows),
                    static_cast<size_t>(y.width), activation_, y.as<float>() + row * y.width);
    });
  }

 private:
  Activation activation_;
};

}  // namespace

Value gate(Graph& graph, Value x, Activation kind, const std::string& name) {
  return add_layer<GateLayer>(graph, name, {x}, kind);
}

}  // namespace headway
