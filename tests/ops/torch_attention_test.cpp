// headway::attention against PyTorch: tests/golden/torch_attention, made by
// scripts/make_torch_attention.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/json.hpp"
#include "engine/formats/safetensors.hpp"
#include "headway/attention.hpp"
#include "tests/ops/attention_strategies.hpp"
#include "tests/reference/functions.hpp"
#include "tests/support/golden.hpp"

namespace headway {
namespace {

using reference::linear;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// What an input is, for its seed.
constexpr int64_t kQ = 0, kK = 1, kV = 2, kMask = 3, kInWeight = 4, kInBias = 5, kOutWeight = 6,
                  kOutBias = 7, kKWeight = 8, kVWeight = 9, kPadding = 10;

uint32_t hash(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352d;
  x = (x ^ (x >> 15)) * 0x846ca68b;
  return x ^ (x >> 16);
}

// The numbers that the script makes with this seed, times `factor`, a power of two.
std::vector<float> numbers(int64_t seed, int64_t count, float factor = 1) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t bits = hash(static_cast<uint32_t>(i) + static_cast<uint32_t>(seed) * 0x9e3779b9);
    values.push_back(factor * (static_cast<float>(bits >> 8) * 0x1p-23F - 1));
  }
  return values;
}

class TorchAttention : public testing::Test {
 protected:
  static Json calls(const char* name) {
    return Json::read_file(golden_path(std::string("torch_attention/") + name));
  }
  void expect_near(JsonNode number, std::span<const float> actual, double tolerance) const {
    const SafetensorsEntry* entry = tensors_.find(number.as_string());
    ASSERT_TRUE(entry);
    ASSERT_EQ(entry->bytes.size(), actual.size() * sizeof(float)) << number.path();
    const auto* expected = reinterpret_cast<const float*>(entry->bytes.data());
    for (size_t i = 0; i < actual.size(); ++i)
      ASSERT_NEAR(actual[i], expected[i], tolerance) << number.path() << ' ' << i;
  }

 private:
  SafetensorsFile tensors_ =
      SafetensorsFile::open(golden_path("torch_attention/tensors.safetensors"));
};

TEST_F(TorchAttention, equals_scaled_dot_product_attention) {
  const Json file = calls("sdpa.json");
  ASSERT_EQ(file.root().size(), 242u);
  int64_t seed = -16;
  for (const JsonNode call : file.root().elements()) {
    SCOPED_TRACE(testing::Message() << call.path() << ' ' << call.at("mask").as_string());
    const auto number = [&](const char* name) { return call.at(name).as_int64(); };
    seed += 16;
    const int64_t b = number("batch"), h = number("heads"), kv = number("kv_heads"),
                  tq = number("queries"), tk = number("keys"), size = number("size"),
                  value_size = number("value_size");
    const std::vector<float> q = numbers(seed + kQ, b * h * tq * size, 4),
                             k = numbers(seed + kK, b * kv * tk * size),
                             v = numbers(seed + kV, b * kv * tk * value_size);
    AttentionOptions options;
    if (!call.at("scale").is_null())
      options.scale = static_cast<float>(call.at("scale").as_double());
    const std::string_view kind = call.at("mask").as_string();
    std::array<int64_t, 4> extents{};
    for (size_t axis = 0; axis < 4; ++axis) extents[axis] = call.at("mask_shape")[axis].as_int64();
    const int64_t elements = extents[0] * extents[1] * extents[2] * extents[3];
    std::vector<float> bias = numbers(seed + kMask, elements), slopes, vectors;
    std::vector<uint8_t> mask;
    if (kind == "bool") {
      for (const float x : bias) mask.push_back(x > -0.5F);
      options.mask = StridedView::dense(mask.data(), extents, DType::boolean);
    } else if (kind == "float") {
      // -0.7 in the script is a double.
      for (float& x : bias) x = x < -0.7 ? -std::numeric_limits<float>::infinity() : 2 * x;
      options.bias = StridedView::dense(bias.data(), extents);
    } else if (kind == "alibi") {
      for (int64_t head = 1; head <= h; ++head)
        slopes.push_back(std::exp2(-8 * static_cast<float>(head) / static_cast<float>(h)));
      options.alibi_slopes = slopes;
    } else if (kind == "relative") {
      vectors = numbers(seed + kMask, h * 5, 2);
      options.relative_bias = TensorView(vectors.data(), {h, 5});
    } else {
      options.causal = kind != "none";
      options.bottom_right = kind == "bottom_right";
    }
    for_each_strategy([&](AttentionStrategy strategy) {
      options.strategy = strategy;
      std::vector<float> out(static_cast<size_t>(b * h * tq * value_size), kNaN);
      attention(StridedView::dense(q.data(), {b, h, tq, size}),
                StridedView::dense(k.data(), {b, kv, tk, size}),
                StridedView::dense(v.data(), {b, kv, tk, value_size}),
                MutableStridedView::dense(out.data(), {b, h, tq, value_size}), options);
      // Scores are sums of `size` products of up to 4 and below 12 or so; values are below 1.
      expect_near(call.at("out"), out, 16 * 0x1p-24 * std::sqrt(static_cast<double>(size) + 15));
    });
  }
}

// The projections of a call of nn.MultiheadAttention, in double precision.
class Projections {
 public:
  Projections(JsonNode call, int64_t seed)
      : seed_(seed),
        batch_(call.at("batch").as_int64()),
        heads_(call.at("heads").as_int64()),
        dim_(call.at("dim").as_int64()),
        bias_(call.at("bias").as_bool()) {
    const int64_t tq = call.at("queries").as_int64(), tk = call.at("keys").as_int64();
    const int64_t key_dim = call.at("key_dim").as_int64(),
                  value_dim = call.at("value_dim").as_int64();
    if (call.at("self").as_bool()) {  // rows of [q, k, v]
      rows_[0] = project(kQ, tq, dim_, doubles(kInWeight, 3 * dim_ * dim_), 0, 3);
      for (int64_t part = 0; part < 3; ++part)
        views_[part] = StridedView::rows(rows_[0].data() + part * dim_, batch_, tq, heads_,
                                         dim_ / heads_, 3 * dim_);
      return;
    }
    const bool fused = key_dim == dim_ && value_dim == dim_;
    const auto part = [&](int64_t index, int64_t input, int64_t tokens, int64_t width,
                          int64_t weight) {
      const std::vector<double> all = doubles(kInWeight, 3 * dim_ * dim_);
      const auto own = std::span(all).subspan(index * dim_ * dim_, dim_ * dim_);
      rows_[index] = fused ? project(input, tokens, width, own, index, 1)
                           : project(input, tokens, width, doubles(weight, dim_ * width), index, 1);
      views_[index] =
          StridedView::rows(rows_[index].data(), batch_, tokens, heads_, dim_ / heads_, dim_);
    };
    part(0, kQ, tq, dim_, kInWeight);
    part(1, kK, tk, key_dim, kKWeight);
    part(2, kV, tk, value_dim, kVWeight);
  }

  const StridedView& q() const { return views_[0]; }
  const StridedView& k() const { return views_[1]; }
  const StridedView& v() const { return views_[2]; }

  std::vector<float> out(const std::vector<float>& mixed) const {
    const std::vector<double> y =
        linear(reference::widen(mixed), mixed.size() / dim_, doubles(kOutWeight, dim_ * dim_),
               bias_ ? doubles(kOutBias, dim_) : std::vector<double>());
    return {y.begin(), y.end()};
  }

 private:
  std::vector<double> doubles(int64_t what, int64_t count) const {
    return reference::widen(numbers(seed_ + what, count));
  }
  // Rows of `parts` of [q, k, v] from `part` on.
  std::vector<float> project(int64_t input, int64_t tokens, int64_t width,
                             std::span<const double> weight, int64_t part, int64_t parts) const {
    const std::vector<double> bias = doubles(kInBias, 3 * dim_);
    const auto own = std::span(bias).subspan(part * dim_, parts * dim_);
    const std::vector<double> y = linear(doubles(input, batch_ * tokens * width), batch_ * tokens,
                                         weight, bias_ ? own : std::span<const double>());
    return {y.begin(), y.end()};
  }

  int64_t seed_, batch_, heads_, dim_;
  bool bias_;
  std::array<std::vector<float>, 3> rows_;
  std::array<StridedView, 3> views_;
};

TEST_F(TorchAttention, equals_multihead_attention) {
  const Json file = calls("multihead.json");
  ASSERT_EQ(file.root().size(), 13u);
  int64_t seed = -16;
  for (const JsonNode call : file.root().elements()) {
    SCOPED_TRACE(call.path());
    seed += 16;
    const Projections layer(call, seed);
    const auto [b, h, tq, size] = layer.q().extents;
    const int64_t tk = layer.k().extents[2];
    AttentionOptions options;
    std::vector<float> added;
    std::vector<uint8_t> seen;
    const std::string_view mask = call.at("mask").as_string();
    options.causal = mask == "causal";
    if (mask == "float") {
      added = numbers(seed + kMask, b * h * tq * tk);
      options.bias = StridedView::dense(added.data(), {b, h, tq, tk});
    }
    if (call.at("padding").as_bool()) {
      const std::vector<float> padding = numbers(seed + kPadding, b * tk);
      for (int64_t i = 0; i < b * tk; ++i) seen.push_back(i % tk == 0 || padding[i] <= 0);
      options.mask = StridedView::dense(seen.data(), {b, 1, 1, tk}, DType::boolean);
    }
    std::vector<float> mixed(static_cast<size_t>(b * tq * h * size)),
        weights(static_cast<size_t>(b * h * tq * tk));
    options.scores = MutableStridedView::dense(weights.data(), {b, h, tq, tk});
    const auto out = MutableStridedView::rows(mixed.data(), b, tq, h, size, h * size);
    for_each_strategy([&](AttentionStrategy strategy) {
      options.strategy = strategy;
      std::fill(mixed.begin(), mixed.end(), kNaN);
      std::fill(weights.begin(), weights.end(), kNaN);
      attention(layer.q(), layer.k(), layer.v(), out, options);
      // Scores are below 20 or so and outputs sums of 12 or 16 products below 4.
      expect_near(call.at("weights"), weights, 32 * 0x1p-24);
      expect_near(call.at("out"), layer.out(mixed), 256 * 0x1p-24);
    });
  }
}

}  // namespace
}  // namespace headway
