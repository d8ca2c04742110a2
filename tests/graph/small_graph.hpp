// Graphs that the tests of the engine share.
#pragma once

#include "headway/engine.hpp"
#include "headway/layers.hpp"
#include "tests/support/random.hpp"

namespace headway {

// An encoder block over x [tokens, 32]: "hidden" after MultiHead, residual and LayerNorm, "weights"
// [pairs, 4], "mean" [sequences, 32].
struct SmallBlock {
  static constexpr int64_t kDim = 32, kHeads = 4;

  Random random{11};
  LinearNumbers qkv{random, kDim, 3 * kDim}, out{random, kDim, kDim};
  std::vector<float> gamma = random.uniforms(kDim, 0.5f, 1.5f);
  std::vector<float> beta = random.uniforms(kDim, -1, 1);

  Graph graph() const {
    Graph graph;
    const Value x = graph.input("x", DType::f32, kDim);
    const MultiHeadValues attended =
        multi_head(graph, x, {{qkv.weights()}, out.weights()}, {.heads = kHeads}, "attention");
    const Value hidden =
        layer_norm(graph, add(graph, attended.output, x), TensorView(gamma.data(), {kDim}),
                   TensorView(beta.data(), {kDim}), 1e-5f);
    graph.output("hidden", hidden);
    graph.output("weights", attended.weights);
    graph.output("mean", pool(graph, hidden, Pooling::mean));
    return graph;
  }
};

}  // namespace headway
