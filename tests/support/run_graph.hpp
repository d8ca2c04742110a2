// Builds a graph of one f32 input, or takes a built one, runs it and returns its output.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "headway/engine.hpp"

namespace headway {

// Runs `engine`, whose input is "x" [rows of batch, width]; returns the output `name`.
inline std::vector<float> run_output(const Engine& engine, const Batch& batch,
                                     const std::vector<float>& x, int64_t width,
                                     const RunOptions& options = {}, const char* name = "y") {
  const Input input{"x", batch, {x.data(), {batch.rows(), width}}};
  std::vector<float> y(static_cast<size_t>(engine.output_elements(name, std::span(&input, 1))));
  engine.run({input}, {{name, {y.data(), {static_cast<int64_t>(y.size())}}}}, options);
  return y;
}

// The graph y = build(graph, x) with x [tokens, width], run once.
template <typename Build>
std::vector<float> run_layer(const Batch& batch, const std::vector<float>& x, int64_t width,
                             const Build& build, const RunOptions& options = {}) {
  Graph graph;
  const Value in = graph.input("x", DType::f32, width);
  graph.output("y", build(graph, in));
  return run_output(compile(graph, {.threads = 2}), batch, x, width, options);
}

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace headway
