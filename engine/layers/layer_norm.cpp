// Layer normalization.
#include "engine/layers/layer_norm.hpp"

#include <cmath>

#include "engine/base/convert.hpp"
#include "engine/layers/build.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/rows.hpp"
#include "headway/layers.hpp"

namespace headway {

LayerNormLayer::LayerNormLayer(Weight gamma, Weight beta, float epsilon)
    : gamma_(std::move(gamma)), beta_(std::move(beta)), epsilon_(epsilon) {
  // With 0 a row of equal values would become NaN.
  if (!std::isfinite(epsilon_) || epsilon_ <= 0) {
    fail(ErrorCode::invalid_argument, "epsilon is ", epsilon_,
         ", expected a finite number above 0");
  }
  expect_weight("gamma", gamma_, {-1});
  if (beta_) expect_weight("beta", beta_, {width()});
}

std::vector<ValueType> LayerNormLayer::infer(std::span<const ValueType> inputs) const {
  expect_f32("x", inputs[0], width());
  expect_rows("x", inputs[0]);
  return {inputs[0]};
}

void LayerNormLayer::pack(std::byte* packed) const {
  auto* values = reinterpret_cast<float*>(packed);
  read_f32(gamma_.view(), 0, width(), values);
  if (beta_) read_f32(beta_.view(), 0, width(), values + width());
}

// Mean, variance, and the affine map: about eight operations an element.
double LayerNormLayer::flops(const StepShape& step) const {
  return 8.0 * static_cast<double>(step.rows()) * static_cast<double>(width());
}

void LayerNormLayer::run(const StepArguments& step) const {
  const LayerNorm norm = unpacked(step.packed);
  const Buffer& x = step.inputs[0];
  for_row_blocks(step.team, x.rows, [&](int64_t row, int64_t rows) {
    headway::layer_norm(x.as<const float>() + row * x.width, rows, x.width, norm,
                        step.outputs[0].as<float>() + row * x.width);
  });
}

LayerNorm LayerNormLayer::unpacked(const std::byte* packed) const {
  const auto* gamma = reinterpret_cast<const float*>(packed);
  return {gamma, beta_ ? gamma + width() : nullptr, epsilon_};
}

Value layer_norm(Graph& graph, Value x, Weight gamma, Weight beta, float epsilon,
                 const std::string& name) {
  return add_layer<LayerNormLayer>(graph, name, {x}, std::move(gamma), std::move(beta), epsilon);
}

}  // namespace headway
