// Engines in forked children.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/graph/small_graph.hpp"
#include "tests/runtime/child.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

constexpr int64_t kDim = SmallBlock::kDim;

// y = MultiHead(x) by oneDNN, which makes products for each length.
Engine materialized(const SmallBlock& block) {
  Graph graph;
  const Value x = graph.input("x", DType::f32, kDim);
  const MultiHeadWeights weights{{block.qkv.weights()}, block.out.weights()};
  graph.output(
      "y", multi_head(graph, x, weights,
                      {.heads = SmallBlock::kHeads, .strategy = AttentionStrategy::materialized})
               .output);
  return compile(graph, {.threads = 2});
}

// While other threads compile, plan and run, a child uses an engine of its own and makes another.
TEST(Fork, ChildrenComputeWhateverOtherThreadsDo) {
  const SmallBlock block{};
  const Engine engine = materialized(block);
  const Batch batch = Batch::dense(3, 40);
  const std::vector<float> x = Random(1).normals(batch.rows() * kDim);
  const std::vector<float> expected = run_output(engine, batch, x, kDim);
  std::atomic<bool> done{false};
  std::vector<std::jthread> others;
  for (int64_t i = 0; i < 3; ++i) {
    others.emplace_back([&, i] {
      const Engine mine = materialized(block);
      for (int64_t length = 1; !done; length = length % 3000 + 1) {
        // A length of its own each time, whose products have to be made.
        const int64_t lengths[] = {3 * length + i};
        mine.warm(lengths);
        if (length % 20 == 0) run_output(materialized(block), batch, x, kDim);
      }
    });
  }
  for (int round = 0; round < 30; ++round) {
    const int status = status_of_child([&] {
      const bool same = same_bits(run_output(engine, batch, x, kDim), expected) &&
                        same_bits(run_output(materialized(block), batch, x, kDim), expected);
      const int64_t fresh[] = {10000};
      engine.warm(fresh);
      return same ? 0 : 1;
    });
    ASSERT_TRUE(exited_with(status, 0)) << "status " << status << " in round " << round;
  }
  done = true;
}

}  // namespace
}  // namespace headway
