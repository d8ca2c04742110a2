// Runs a layer, lets the library throw, and embeds a text with the model directory given.
#include <cmath>
#include <iostream>
#include <vector>

#include "headway/headway.hpp"

namespace {

// Attention over equal tokens gives each of them v: 8 x 1 x 0.5 = 4, and then 8 x 4 x 0.5 = 16.
bool layer_is_right() {
  using namespace headway;
  constexpr int64_t kDim = 8;
  const std::vector<float> qkv(3 * kDim * kDim, 0.5f), out(kDim * kDim, 0.5f);
  Graph graph;
  const Value x = graph.input("x", DType::f32, kDim);
  const MultiHeadWeights weights{.qkv = {{TensorView(qkv.data(), {3 * kDim, kDim}), {}}},
                                 .out = {TensorView(out.data(), {kDim, kDim}), {}}};
  graph.output("y", multi_head(graph, x, weights, {.heads = 2}).output);
  const Engine engine = compile(graph, {.threads = 2});

  const Batch batch = Batch::dense(2, 5);
  const std::vector<float> numbers(10 * kDim, 1.0f);
  std::vector<float> result(10 * kDim);
  engine.run({{"x", batch, TensorView(numbers.data(), {2, 5, kDim})}},
             {{"y", MutableTensorView(result.data(), {2, 5, kDim})}});
  for (const float y : result)
    if (std::abs(y - 16) > 1e-4f) return false;
  return true;
}

bool error_is_caught() {
  try {
    headway::Embedder::open("no such directory");
  } catch (const headway::Error& error) {
    return error.code() == headway::ErrorCode::not_found;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !layer_is_right() || !error_is_caught()) return 1;
  const auto embedder = headway::Embedder::open(argv[1]);
  const std::vector<std::string> texts{"A cat sleeps on the sofa."};
  std::cout << "a text of " << embedder.embed(texts).stats.tokens << " tokens\n";
}
