// A MultiHead layer's numbers, its strategies, and its oracle.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "engine/ops/attention.hpp"
#include "headway/layers.hpp"
#include "tests/reference/attention.hpp"
#include "tests/reference/functions.hpp"
#include "tests/support/random.hpp"

namespace headway {

// Calls check(strategy) for each way to compute attention; failures name it.
template <typename Check>
void with_each_strategy(const Check& check) {
  for (const AttentionMethod& method : attention_methods()) {
    SCOPED_TRACE(method.name);
    check(method.strategy);
  }
}

struct MultiHeadNumbers {
  int64_t dim, heads;
  LinearNumbers qkv, out;

  MultiHeadNumbers(Random& random, int64_t dim, int64_t heads, bool qkv_bias = true)
      : dim(dim), heads(heads), qkv(random, dim, 3 * dim, qkv_bias), out(random, dim, dim) {}

  MultiHeadWeights fused() const { return {{qkv.weights()}, out.weights()}; }
  MultiHeadWeights in_three() const {
    return {{qkv.rows(0, dim), qkv.rows(dim, 2 * dim), qkv.rows(2 * dim, 3 * dim)}, out.weights()};
  }
  MultiHeadOptions options(AttentionStrategy strategy = AttentionStrategy::automatic) const {
    return {.heads = heads, .strategy = strategy};
  }

  // Self-attention over x [sum of lengths, dim].
  reference::AttentionResult expected(const std::vector<float>& x,
                                      const std::vector<size_t>& lengths) const {
    using reference::widen;
    const auto qkv_weight = widen(qkv.weight), qkv_bias = widen(qkv.bias);
    const auto out_weight = widen(out.weight), out_bias = widen(out.bias);
    return reference::multi_head(widen(x), lengths, static_cast<size_t>(heads),
                                 {qkv_weight, qkv_bias, out_weight, out_bias});
  }
};

}  // namespace headway
