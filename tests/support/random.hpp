// Random numbers for tests, the same in every run, and weights as torch.nn.Linear begins with them.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "headway/operations.hpp"

namespace headway {

class Random {
 public:
  explicit Random(uint32_t seed) : bits_(seed) {}

  // In [low, high).
  float uniform(float low, float high) {
    return low + (high - low) * static_cast<float>(bits_() >> 8) * 0x1p-24f;
  }
  // In [0, limit).
  int32_t below(int32_t limit) {
    return static_cast<int32_t>(bits_() % static_cast<uint32_t>(limit));
  }

  std::vector<float> uniforms(int64_t count, float low, float high) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) value = uniform(low, high);
    return values;
  }
  // N(0, 1).
  std::vector<float> normals(int64_t count) {
    std::normal_distribution<float> normal;
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) value = normal(bits_);
    return values;
  }
  std::vector<int32_t> ids(int64_t count, int32_t limit) {
    std::vector<int32_t> values(static_cast<size_t>(count));
    for (int32_t& value : values) value = below(limit);
    return values;
  }

 private:
  std::mt19937 bits_;
};

// The numbers of a Linear, uniform in +-1 / sqrt(in) as torch.nn.Linear initializes weight and
// bias. Must outlive the graphs its weights() go into.
struct LinearNumbers {
  int64_t in, out;
  std::vector<float> weight;  // [out, in]
  std::vector<float> bias;    // [out] or empty

  LinearNumbers(Random& random, int64_t in, int64_t out, bool with_bias = true) : in(in), out(out) {
    const float bound = 1 / std::sqrt(static_cast<float>(in));
    weight = random.uniforms(in * out, -bound, bound);
    if (with_bias) bias = random.uniforms(out, -bound, bound);
  }

  LinearWeights weights() const { return rows(0, out); }
  // Outputs [begin, end) as a Linear of their own.
  LinearWeights rows(int64_t begin, int64_t end) const {
    LinearWeights result{TensorView(weight.data() + begin * in, {end - begin, in}), {}};
    if (!bias.empty()) result.bias = TensorView(bias.data() + begin, {end - begin});
    return result;
  }
};

}  // namespace headway
