// A layer of a test's own: passes its input on and calls the test for each sequence.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/layers/layer.hpp"

namespace headway {

class ProbeLayer : public Layer {
 public:
  explicit ProbeLayer(std::function<void(int64_t)> body) : body_(std::move(body)) {}

  std::string_view kind() const override { return "Probe"; }
  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    return {inputs[0]};
  }
  double flops(const StepShape& step) const override {
    return static_cast<double>(step.rows()) * static_cast<double>(step.inputs[0].width);
  }
  void run(const StepArguments& step) const override {
    const Buffer& x = step.inputs[0];
    step.team.for_each(step.group.sequences(), [&](int64_t i) {
      body_(step.group.first() + i);
      const int64_t begin = step.group.row(x.space.stream, i) * x.width;
      const int64_t count = step.group.length(x.space.stream, i) * x.width;
      std::memcpy(step.outputs[0].as<float>() + begin, x.as<const float>() + begin,
                  static_cast<size_t>(count) * sizeof(float));
    });
  }

 private:
  std::function<void(int64_t)> body_;
};

// x [tokens, width] unchanged; body(number of the sequence in its batch) runs for each sequence, on
// whichever thread has it.
inline Value probe(Graph& graph, Value x, std::function<void(int64_t)> body) {
  return graph.add("probe", std::make_shared<const ProbeLayer>(std::move(body)),
                   std::span(&x, 1))[0];
}

}  // namespace headway
