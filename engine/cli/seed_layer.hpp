// One MultiHead layer as an engine, for the commands that run it alone.
#pragma once

#include <cstdint>
#include <utility>

#include "headway/engine.hpp"
#include "headway/layers.hpp"

namespace headway::cli {

// Input "x" [tokens, D]; outputs "y" [tokens, D] and "weights", [H, T, T] a sequence. Errors as
// multi_head.
inline Engine compile_multi_head(MultiHeadWeights weights, int64_t dim, int64_t heads, int threads,
                                 Precision precision) {
  Graph graph;
  const Value x = graph.input("x", DType::f32, dim);
  MultiHeadOptions options;
  options.heads = heads;
  const MultiHeadValues values = multi_head(graph, x, std::move(weights), options, "multihead");
  graph.output("y", values.output);
  graph.output("weights", values.weights);
  Limits limits;
  limits.threads = threads;
  return compile(graph, limits, {.precision = precision});
}

}  // namespace headway::cli
