// Rotary position embedding: a table of angles by token, and the turning of heads by it.
#include "engine/layers/rotary.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "engine/kernels/rotary.hpp"
#include "engine/layers/build.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/rows.hpp"

namespace headway {
namespace {

// Inputs: a value with the tokens, then perhaps one with the past tokens. Output [tokens, dims]:
// dims / 2 cosines, then as many sines.
class RotaryTableLayer : public Layer {
 public:
  explicit RotaryTableLayer(const RotaryOptions& options) : dims_(options.dims) {
    if (dims_ < 2 || dims_ % 2 != 0)
      fail(ErrorCode::invalid_argument, "dims is ", dims_, ", expected an even number above 0");
    const auto expect_positive = [](const char* name, double value) {
      if (!(value > 0) || !std::isfinite(value))
        fail(ErrorCode::invalid_argument, name, " is ", value, ", expected a number above 0");
    };
    expect_positive("base", options.base);
    expect_positive("scaling", options.scaling);
    for (int64_t pair = 0; pair < dims_ / 2; ++pair) {
      const double power = static_cast<double>(2 * pair) / static_cast<double>(dims_);
      frequencies_.push_back(std::pow(options.base, -power) / options.scaling);
    }
  }

  std::string_view kind() const override { return "RotaryTable"; }

  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    expect_tokens("like", inputs[0]);
    if (inputs.size() > 1) expect_tokens("past", inputs[1]);
    return {{DType::f32, inputs[0].rows, dims_}};
  }

  double flops(const StepShape& step) const override {
    constexpr double kSineAndCosine = 100;
    return kSineAndCosine * static_cast<double>(step.rows() * dims_);
  }

  void run(const StepArguments& step) const override {
    const Buffer& table = step.outputs[0];
    const int32_t stream = table.space.stream;
    const int64_t half = dims_ / 2;
    for_row_blocks(step.team, table.rows, [&](int64_t begin, int64_t count) {
      for (int64_t row = begin; row < begin + count; ++row) {
        const int64_t sequence = step.group.sequence_of(stream, row);
        int64_t position = row - step.group.row(stream, sequence);
        if (step.inputs.size() > 1)
          position += step.group.length(step.inputs[1].space.stream, sequence);
        float* out = table.as<float>() + row * dims_;
        for (int64_t pair = 0; pair < half; ++pair) {
          const double angle = static_cast<double>(position) * frequencies_[pair];
          out[pair] = static_cast<float>(std::cos(angle));
          out[half + pair] = static_cast<float>(std::sin(angle));
        }
      }
    });
  }

 private:
  int64_t dims_;
  std::vector<double> frequencies_;  // radians a token
};

// Inputs: rows of heads, and the table.
class RotaryLayer : public Layer {
 public:
  RotaryLayer(int64_t heads, int64_t size, bool interleaved)
      : heads_(heads), size_(size), interleaved_(interleaved) {}

  std::string_view kind() const override { return "Rotary"; }

  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    expect_f32("x", inputs[0]);
    const ValueType& table = inputs[1];
    if (table.dtype != DType::f32 || table.rows != inputs[0].rows || table.width > size_ ||
        table.width % 2 != 0) {
      fail(ErrorCode::invalid_argument, "the rotary table is ", table.to_string(),
           ", expected the rows of ", inputs[0].to_string(), " and an even width of at most ",
           size_);
    }
    return {inputs[0]};
  }

  double flops(const StepShape& step) const override {
    return 3.0 * static_cast<double>(step.rows()) * static_cast<double>(heads_ * size_);
  }

  void run(const StepArguments& step) const override {
    const Buffer &x = step.inputs[0], &table = step.inputs[1];
    const int64_t turned = heads_ * size_;
    for_row_blocks(step.team, x.rows, [&](int64_t begin, int64_t count) {
      for (int64_t row = begin; row < begin + count; ++row) {
        const float* from = x.as<const float>() + row * x.width;
        float* to = step.outputs[0].as<float>() + row * x.width;
        rotate_heads(from, table.as<const float>() + row * table.width, static_cast<size_t>(heads_),
                     static_cast<size_t>(size_), static_cast<size_t>(table.width), interleaved_,
                     to);
        std::memcpy(to + turned, from + turned,
                    static_cast<size_t>(x.width - turned) * sizeof(float));
      }
    });
  }

 private:
  int64_t heads_, size_;
  bool interleaved_;
};

}  // namespace

Value rotary_table(Graph& graph, Value like, const RotaryOptions& options,
                   const std::string& name) {
  return add_layer<RotaryTableLayer>(graph, name, {like}, options);
}

Value rotary_table(Graph& graph, Value like, Value past, const RotaryOptions& options,
                   const std::string& name) {
  return add_layer<RotaryTableLayer>(graph, name, {like, past}, options);
}

Value rotate(Graph& graph, Value x, const Rotary& rotary, int64_t heads, int64_t size,
             const std::string& name) {
  return add_layer<RotaryLayer>(graph, name, {x, rotary.table}, heads, size, rotary.interleaved);
}

}  // namespace headway
