// From tokens to one row a sequence, and rows of length 1.
#include <algorithm>

#include "engine/kernels/pool.hpp"
#include "engine/layers/build.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/rows.hpp"
#include "headway/layers.hpp"

namespace headway {
namespace {

constexpr float kEpsilon = 1e-12f;  // torch.nn.functional.normalize's

class L2NormalizeLayer : public Layer {
 public:
  std::string_view kind() const override { return "L2Normalize"; }

  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    expect_f32("x", inputs[0]);
    expect_rows("x", inputs[0]);
    return {inputs[0]};
  }

  double flops(const StepShape& step) const override {
    return 3.0 * static_cast<double>(step.rows()) * static_cast<double>(step.inputs[0].width);
  }

  void run(const StepArguments& step) const override {
    const Buffer& x = step.inputs[0];
    for_row_blocks(step.team, x.rows, [&](int64_t row, int64_t rows) {
      headway::l2_normalize(x.as<const float>() + row * x.width, rows, x.width, kEpsilon,
                            step.outputs[0].as<float>() + row * x.width);
    });
  }
};

// Normalizes each sequence's row while it is in cache, where an L2NormalizeLayer is fused.
class PoolLayer : public Layer {
 public:
  explicit PoolLayer(Pooling pooling) : pooling_(pooling) {}

  std::string_view kind() const override { return "Pool"; }

  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    expect_f32("x", inputs[0]);
    if (inputs[0].rows.kind != RowSpace::Kind::tokens) {
      fail(ErrorCode::invalid_argument, "x is ", inputs[0].to_string(),
           ", expected rows of tokens");
    }
    return {{DType::f32, {.kind = RowSpace::Kind::sequences}, inputs[0].width}};
  }

  std::shared_ptr<const Layer> fuse(const Layer& next, size_t) const override {
    if (normalize_ || !dynamic_cast<const L2NormalizeLayer*>(&next)) return nullptr;
    auto fused = std::make_shared<PoolLayer>(*this);
    fused->normalize_ = true;
    return fused;
  }

  double flops(const StepShape& step) const override {
    const int64_t rows = step.rows() + (normalize_ ? 3 * step.group.sequences() : 0);
    return static_cast<double>(rows) * static_cast<double>(step.inputs[0].width);
  }

  void run(const StepArguments& step) const override {
    const Buffer& x = step.inputs[0];
    step.team.for_each(step.group.sequences(), [&](int64_t i) {
      const float* tokens = x.as<const float>() + step.group.row(x.space.stream, i) * x.width;
      float* to = step.outputs[0].as<float>() + i * x.width;
      // The mean of one row is that row.
      const int64_t length = step.group.length(x.space.stream, i);
      mean_rows(tokens, pooling_ == Pooling::cls ? std::min<int64_t>(length, 1) : length, x.width,
                to);
      if (normalize_) headway::l2_normalize(to, 1, x.width, kEpsilon, to);
    });
  }

 private:
  Pooling pooling_;
  bool normalize_ = false;
};

}  // namespace

Value pool(Graph& graph, Value x, Pooling kind, const std::string& name) {
  return add_layer<PoolLayer>(graph, name, {x}, kind);
}

Value l2_normalize(Graph& graph, Value x, const std::string& name) {
  return add_layer<L2NormalizeLayer>(graph, name, {x});
}

}  // namespace headway
