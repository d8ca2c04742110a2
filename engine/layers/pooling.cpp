// From tokens to one row a sequence, and rows of length 1.
#include <algorithm>
#include <cmath>

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

void pool_rows(Pooling kind, const float* x, int64_t skipped, int64_t length, int64_t width,
               float* y) {
  const float* const kept = x + skipped * width;
  const int64_t rows = length - skipped;
  const auto count = static_cast<float>(std::max<int64_t>(rows, 1));  // a sum of nothing stays 0
  switch (kind) {
    case Pooling::mean:
      return sum_rows(kept, rows, width, count, y);
    case Pooling::mean_sqrt_len:
      return sum_rows(kept, rows, width, std::sqrt(count), y);
    case Pooling::weighted_mean:
      return weighted_mean_rows(kept, rows, width, skipped + 1, y);
    case Pooling::max:
      return max_rows(kept, rows, width, y);
    case Pooling::cls:  // the sum of one row is that row
      return sum_rows(rows > 0 ? kept : x, std::min<int64_t>(length, 1), width, 1, y);
    case Pooling::last_token:
      return sum_rows(kept + std::max<int64_t>(rows - 1, 0) * width, std::min<int64_t>(rows, 1),
                      width, 1, y);
  }
}

// Normalizes each sequence's row while it is in cache, where an L2NormalizeLayer is fused.
class PoolLayer : public Layer {
 public:
  explicit PoolLayer(const PoolOptions& options) : kinds_(options.kinds) {
    if (kinds_.empty())
      fail(ErrorCode::invalid_argument, "kinds: expected at least one, found none");
  }

  std::string_view kind() const override { return "Pool"; }

  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    expect_f32("x", inputs[0]);
    expect_tokens("x", inputs[0]);
    if (inputs.size() > 1) {
      const ValueType expected{DType::i32, inputs[0].rows, 1};
      if (inputs[1] != expected)
        fail(ErrorCode::invalid_argument, "skip is ", inputs[1].to_string(), ", expected ",
             expected.to_string());
    }
    const int64_t width = checked_mul(inputs[0].width, static_cast<int64_t>(kinds_.size()),
                                      "width of several poolings");
    return {{DType::f32, {.kind = RowSpace::Kind::sequences}, width}};
  }

  std::shared_ptr<const Layer> fuse(const Layer& next, size_t) const override {
    if (normalize_ || !dynamic_cast<const L2NormalizeLayer*>(&next)) return nullptr;
    auto fused = std::make_shared<PoolLayer>(*this);
    fused->normalize_ = true;
    return fused;
  }

  double flops(const StepShape& step) const override {
    const int64_t rows = step.rows() + (normalize_ ? 3 * step.group.sequences() : 0);
    return static_cast<double>(rows) * static_cast<double>(step.inputs[0].width) *
           static_cast<double>(kinds_.size());
  }

  void run(const StepArguments& step) const override {
    const Buffer& x = step.inputs[0];
    const auto kinds = static_cast<int64_t>(kinds_.size());
    step.team.for_each(step.group.sequences(), [&](int64_t i) {
      const int64_t row = step.group.row(x.space.stream, i);
      const int64_t length = step.group.length(x.space.stream, i);
      int64_t skipped = 0;
      if (step.inputs.size() > 1) {
        const int32_t* skip = step.inputs[1].as<const int32_t>() + row;
        while (skipped < length && skip[skipped] != 0) ++skipped;
      }
      float* const to = step.outputs[0].as<float>() + i * kinds * x.width;
      for (int64_t k = 0; k < kinds; ++k)
        pool_rows(kinds_[static_cast<size_t>(k)], x.as<const float>() + row * x.width, skipped,
                  length, x.width, to + k * x.width);
      if (normalize_) headway::l2_normalize(to, 1, kinds * x.width, kEpsilon, to);
    });
  }

 private:
  std::vector<Pooling> kinds_;
  bool normalize_ = false;
};

}  // namespace

Value pool(Graph& graph, Value x, const PoolOptions& options, const std::string& name) {
  if (options.skip) return add_layer<PoolLayer>(graph, name, {x, *options.skip}, options);
  return add_layer<PoolLayer>(graph, name, {x}, options);
}

Value l2_normalize(Graph& graph, Value x, const std::string& name) {
  return add_layer<L2NormalizeLayer>(graph, name, {x});
}

}  // namespace headway
