// Rows of one token stream picked for another.
#include <algorithm>

#include "engine/layers/build.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/rows.hpp"
#include "headway/layers.hpp"

namespace headway {
namespace {

// Inputs: x, and the places.
class GatherLayer : public Layer {
 public:
  std::string_view kind() const override { return "Gather"; }

  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    expect_f32("x", inputs[0]);
    expect_tokens("x", inputs[0]);
    if (inputs[1].dtype != DType::i32 || inputs[1].width != 1)
      fail(ErrorCode::invalid_argument, "places are ", inputs[1].to_string(),
           ", expected i32 [tokens, 1]");
    expect_tokens("places", inputs[1]);
    return {{DType::f32, inputs[1].rows, inputs[0].width}};
  }

  double flops(const StepShape&) const override { return 0; }

  void check_input(const StepShape& step, size_t input, const void* data) const override {
    if (input != 1) return;
    const auto* places = static_cast<const int32_t*>(data);
    const Group& group = step.group;
    const int32_t from = step.inputs[0].rows.stream, to = step.inputs[1].rows.stream;
    for (int64_t i = 0; i < group.sequences(); ++i)
      for (int64_t pick = 0; pick < group.length(to, i); ++pick)
        expect_place(places[group.row(to, i) + pick], group, from, i);
  }

  void run(const StepArguments& step) const override {
    const Buffer &x = step.inputs[0], &places = step.inputs[1];
    const Group& group = step.group;
    for_row_blocks(step.team, places.rows, [&](int64_t first, int64_t rows) {
      for (int64_t row = first; row < first + rows; ++row) {
        const int64_t sequence = group.sequence_of(places.space.stream, row);
        // Checked again: places may be another layer's, or change under our hands.
        const int32_t place = places.as<const int32_t>()[row];
        expect_place(place, group, x.space.stream, sequence);
        const float* const from =
            x.as<const float>() + (group.row(x.space.stream, sequence) + place) * x.width;
        std::copy_n(from, x.width, step.outputs[0].as<float>() + row * x.width);
      }
    });
  }

 private:
  static void expect_place(int32_t place, const Group& group, int32_t stream, int64_t sequence) {
    const int64_t length = group.length(stream, sequence);
    if (place >= 0 && place < length) return;
    fail(ErrorCode::invalid_argument, "place ", place, " is outside sequence ",
         group.first() + sequence, " of ", length, " tokens");
  }
};

}  // namespace

Value gather(Graph& graph, Value x, Value places, const std::string& name) {
  return add_layer<GatherLayer>(graph, name, {x, places});
}

}  // namespace headway
