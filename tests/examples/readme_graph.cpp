// Attention and a residual sum over two sequences of different lengths.
#include <iostream>
#include <vector>

#include "headway/headway.hpp"

int main() {
  using namespace headway;
  constexpr int64_t kDim = 64;
  const std::vector<float> qkv(3 * kDim * kDim, 0.01f), out(kDim * kDim, 0.01f);
  // Weights are [out, in], row-major, as in PyTorch. WeightFile has those of a safetensors file.
  const MultiHeadWeights weights{.qkv = {{TensorView(qkv.data(), {3 * kDim, kDim}), {}}},
                                 .out = {TensorView(out.data(), {kDim, kDim}), {}}};
  Graph graph;
  const Value x = graph.input("x", DType::f32, kDim);
  graph.output("y", add(graph, x, multi_head(graph, x, weights, {.heads = 8}).output));
  const Engine engine = compile(graph);  // immutable: run it from any number of threads at once

  const Batch batch = Batch::ragged(std::vector<int64_t>{3, 10});  // 13 tokens, no padding
  const Shape shape{batch.rows(), kDim};
  const std::vector<float> numbers(shape.elements(), 1.0f);
  std::vector<float> result(shape.elements());
  engine.run({{"x", batch, TensorView(numbers.data(), shape)}},
             {{"y", MutableTensorView(result.data(), shape)}});
  std::cout << "y: " << shape.to_string() << ", starts with " << result[0] << "\n";
}
