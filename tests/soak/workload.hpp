// What the soak test keeps at work.
#pragma once

#include <string>
#include <vector>

#include "engine/ops/precision.hpp"
#include "headway/embedder.hpp"
#include "headway/layers.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/random.hpp"

namespace headway {

inline Embedder open_model(int threads, Precision precision, size_t memory) {
  EmbedderOptions options;
  options.threads = threads;
  options.precision = precision;
  options.memory = memory;
  return Embedder::open(real_model_directory(), options);
}

// Two models, and what they make of some texts.
struct Models {
  static constexpr size_t kCap = 64 << 20;

  Models() {
    const std::vector<std::string> all = golden_texts();
    for (size_t i = 0; i < all.size(); i += 7) texts.push_back(all[i]);
    texts.push_back(all.back());
    for (const Embedder& embedder : embedders) expected.push_back(embedder.embed(texts).values);
  }

  std::vector<Embedder> embedders{
      open_model(2, Precision::f32, 0),
      open_model(1, is_fast(Precision::int8) ? Precision::int8 : Precision::f32, kCap)};
  std::vector<std::string> texts;
  std::vector<std::vector<float>> expected;  // by embedder
};

// A layer whose runs give the same whatever their batch.
struct Layer {
  static constexpr int64_t kWidth = 64, kHeads = 4;

  Random random{1};
  LinearNumbers qkv{random, kWidth, 3 * kWidth}, out{random, kWidth, kWidth};
  std::vector<float> x = random.normals(700 * kWidth);
  Engine engine = [this] {
    Graph graph;
    const Value in = graph.input("x", DType::f32, kWidth);
    graph.output("y",
                 multi_head(graph, in, {{qkv.weights()}, out.weights()}, {.heads = kHeads}).output);
    return compile(graph, {.threads = 3});
  }();

  // Of one sequence of the first `tokens` rows, `copies` times.
  std::vector<float> run(int64_t tokens, int64_t copies, const RunOptions& options) const {
    const Batch batch = Batch::dense(copies, tokens);
    std::vector<float> in, y(static_cast<size_t>(batch.rows() * kWidth));
    for (int64_t i = 0; i < copies; ++i)
      in.insert(in.end(), x.begin(), x.begin() + tokens * kWidth);
    engine.run({{"x", batch, {in.data(), {batch.rows(), kWidth}}}},
               {{"y", {y.data(), {batch.rows(), kWidth}}}}, options);
    return y;
  }
};

}  // namespace headway
