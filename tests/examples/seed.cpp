// The seed of Headway: one MultiHead layer over random numbers.
#include <cmath>
#include <iostream>
#include <random>
#include <vector>

#include "headway/headway.hpp"

namespace {

// Numbers as torch.nn.Linear starts with: uniform in +-1 / sqrt(inputs).
std::vector<float> uniform(size_t count, int64_t inputs, std::mt19937& random) {
  const float bound = 1.0f / std::sqrt(static_cast<float>(inputs));
  std::uniform_real_distribution<float> distribution(-bound, bound);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(random);
  return values;
}

}  // namespace

int main() {
  constexpr int64_t kBatch = 2, kTokens = 10, kDim = 64, kHeads = 8;
  std::mt19937 random(0);
  const std::vector<float> qkv = uniform(3 * kDim * kDim, kDim, random);
  const std::vector<float> out = uniform(kDim * kDim, kDim, random);
  const std::vector<float> bias = uniform(kDim, kDim, random);

  headway::Graph graph;
  const headway::Value input = graph.input("x", headway::DType::f32, kDim);
  const headway::MultiHeadWeights weights{
      .qkv = {{.weight = headway::TensorView(qkv.data(), {3 * kDim, kDim}), .bias = {}}},
      .out = {.weight = headway::TensorView(out.data(), {kDim, kDim}),
              .bias = headway::TensorView(bias.data(), {kDim})}};
  graph.output("y", headway::multi_head(graph, input, weights, {.heads = kHeads}).output);
  const headway::Engine engine = headway::compile(graph);

  const headway::Shape shape{kBatch, kTokens, kDim};
  const std::vector<float> x = uniform(shape.elements(), 1, random);
  std::vector<float> y(shape.elements());
  engine.run({{"x", headway::Batch::dense(kBatch, kTokens), headway::TensorView(x.data(), shape)}},
             {{"y", headway::MutableTensorView(y.data(), shape)}});

  std::cout << "In:  " << shape.to_string() << "\n"
            << "Out: " << shape.to_string() << "\n"
            << "Each head looks at " << kDim / kHeads << " numbers\n";
}
