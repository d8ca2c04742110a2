// Element-wise addition.
#include "engine/layers/add.hpp"

#include "engine/kernels/add.hpp"
#include "engine/layers/build.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/rows.hpp"
#include "headway/layers.hpp"

namespace headway {

std::vector<ValueType> AddLayer::infer(std::span<const ValueType> inputs) const {
  expect_f32("a", inputs[0]);
  if (inputs[1] != inputs[0]) {
    fail(ErrorCode::invalid_argument, "b is ", inputs[1].to_string(), ", expected ",
         inputs[0].to_string(), " as a");
  }
  return {inputs[0]};
}

double AddLayer::flops(const StepShape& step) const {
  return static_cast<double>(step.rows()) * static_cast<double>(step.inputs[0].width);
}

void AddLayer::run(const StepArguments& step) const {
  const Buffer& a = step.inputs[0];
  for_row_blocks(step.team, a.rows, [&](int64_t row, int64_t rows) {
    const int64_t begin = row * a.width;
    const float* const terms[] = {a.as<const float>() + begin,
                                  step.inputs[1].as<const float>() + begin};
    headway::add(terms, rows * a.width, step.outputs[0].as<float>() + begin);
  });
}

Value add(Graph& graph, Value a, Value b, const std::string& name) {
  return add_layer<AddLayer>(graph, name, {a, b});
}

}  // namespace headway
