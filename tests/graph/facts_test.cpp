// What an engine says about itself: sizes, operations, memory; warm and trim.
#include <gtest/gtest.h>

#include <thread>

#include "engine/graph/program.hpp"
#include "engine/ops/attention.hpp"
#include "tests/graph/small_graph.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

constexpr int64_t kDim = SmallBlock::kDim, kHeads = SmallBlock::kHeads;

class Facts : public testing::Test {
 protected:
  const SmallBlock block{};
  const Graph graph = block.graph();
  const Engine engine = compile(graph, {.threads = 2});
};

TEST_F(Facts, Info) {
  const EngineInfo info = engine.info();
  EXPECT_EQ(info.threads, 2);
  EXPECT_EQ(info.inputs, std::vector<std::string>{"x"});
  EXPECT_EQ(info.outputs, (std::vector<std::string>{"hidden", "weights", "mean"}));
  EXPECT_EQ(info.parameters, 3 * kDim * (kDim + 1) + kDim * (kDim + 1) + 2 * kDim);
  EXPECT_GE(info.packed_weights, static_cast<size_t>(info.parameters) * sizeof(float));
  EXPECT_EQ(info.memory_in_use, 0u);
  EXPECT_EQ(info.peak_memory, 0u);
}

// Layers that are given the same weights pack them once.
TEST(SharedWeights, ArePackedOnce) {
  Random random(4);
  const LinearNumbers one(random, kDim, kDim), other(random, kDim, kDim);
  const std::vector<float> gamma(kDim, 1.0f), x = random.normals(5 * kDim);
  const Weight norm = TensorView(gamma.data(), {kDim});
  const auto make = [&](const LinearNumbers& first, const LinearNumbers& second) {
    Graph graph;
    Value value = graph.input("x", DType::f32, kDim);
    for (const LinearNumbers* each : {&first, &second})
      value = layer_norm(graph, linear(graph, value, each->weights()), norm, {}, 1e-5f);
    graph.output("y", value);
    return compile(graph, {.threads = 1});
  };
  const EngineInfo same = make(one, one).info(), different = make(one, other).info();
  EXPECT_EQ(different.packed_weights, 2 * same.packed_weights);
  // A copy of the weights is packed on its own, and makes no difference.
  const LinearNumbers copy = one;
  const Batch batch = Batch::dense(1, 5);
  EXPECT_TRUE(same_bits(run_output(make(one, one), batch, x, kDim),
                        run_output(make(one, copy), batch, x, kDim)));
}

// A transposed view of the same numbers is another weight.
TEST(SharedWeights, AreNotThoseOfAnotherShape) {
  Random random(4);
  const std::vector<float> numbers = random.normals(6 * 8), x = random.normals(5 * 8);
  Graph graph;
  const Value in = graph.input("x", DType::f32, 8);
  const Value wide = linear(graph, in, {TensorView(numbers.data(), {6, 8}), {}});
  graph.output("y", linear(graph, wide, {TensorView(numbers.data(), {8, 6}), {}}));
  // Both, not one: each has more than one cache line for its 48 numbers.
  EXPECT_GE(compile(graph).info().packed_weights, 2 * 6 * 8 * sizeof(float));
}

// By hand: q, k, v and out; q k^T and w v; then what is counted a number of times per element.
TEST_F(Facts, Flops) {
  const double rows = 20, pairs = 2 * 10 * 10, d = kDim;
  const double expected =
      2 * rows * d * 3 * d + 2 * rows * d * d + 4 * pairs * d + 8 * rows * d + rows * d /* mean */;
  EXPECT_EQ(engine.flops(Batch::dense(2, 10)), expected);
  EXPECT_EQ(engine.flops(Batch()), 0);
  EXPECT_EQ(engine.flops(Batch::dense(3, 0)), 0);
}

TEST_F(Facts, OutputElements) {
  const Batch batch = Batch::ragged(std::vector<int64_t>{3, 0, 7});
  const std::vector<Input> inputs = {{"x", batch, {}}};
  EXPECT_EQ(engine.output_elements("hidden", inputs), 10 * kDim);
  EXPECT_EQ(engine.output_elements("mean", inputs), 3 * kDim);
  EXPECT_EQ(engine.output_elements("weights", inputs), kHeads * (9 + 49));
  expect_error(ErrorCode::invalid_argument, "there is no output 'none'",
               [&] { (void)engine.output_elements("none", inputs); });
  expect_error(ErrorCode::invalid_argument, "no input gives the lengths of token stream 0",
               [&] { (void)engine.output_elements("mean", {}); });
  const Batch huge = Batch::dense(1, int64_t{1} << 40);
  const std::vector<Input> too_long = {{"x", huge, {}}};
  expect_error(ErrorCode::limit, "pairs of tokens",
               [&] { (void)engine.output_elements("weights", too_long); });
}

TEST_F(Facts, OutputElementsOfTwoStreams) {
  Graph two;
  const Value a = two.input("a", DType::f32, 1), b = two.input("b", DType::f32, 1);
  two.output("a", a);
  two.output("b", b);
  const Engine both = compile(two);
  const Batch one = Batch::dense(1, 3), pair = Batch::dense(2, 4);
  const std::vector<Input> differing = {{"a", one, {}}, {"b", pair, {}}};
  expect_error(ErrorCode::invalid_argument, "the inputs differ in their number of sequences",
               [&] { (void)both.output_elements("a", differing); });
}

// What one thread holds after a run that binds only the small output is what was planned for it.
TEST_F(Facts, PeakMemoryIsAsPlanned) {
  for (const AttentionMethod& method : attention_methods()) {
    Graph encoder;
    const Value x = encoder.input("x", DType::f32, kDim);
    const MultiHeadValues attended =
        multi_head(encoder, x, {{block.qkv.weights()}, block.out.weights()},
                   {.heads = kHeads, .strategy = method.strategy});
    encoder.output("y", pool(encoder, add(encoder, attended.output, x), Pooling::mean));
    for (const Batch& batch : {Batch::dense(1, 1), Batch::dense(1, 200), Batch::dense(4, 100),
                               Batch::ragged(std::vector<int64_t>{600, 1, 30, 0, 511})}) {
      SCOPED_TRACE(testing::Message() << method.name << ", " << batch.rows() << " rows");
      const Engine alone = compile(encoder, {.threads = 1});
      const size_t planned = alone.planned_memory(batch);
      const std::vector<float> numbers = Random(1).normals(batch.rows() * kDim);
      run_output(alone, batch, numbers, kDim);
      const EngineInfo info = alone.info();
      // Outputs count in the plan, 16 rows of them at least, and are bound in the run.
      const size_t output =
          static_cast<size_t>((batch.sequences() + 15) / 16 * 16 * kDim) * sizeof(float) + 64;
      EXPECT_LE(info.peak_memory, planned + 4096);
      EXPECT_GE(info.peak_memory + output, planned);
      EXPECT_EQ(info.memory_in_use, info.peak_memory);
      // The scores of all heads of the longest sequence are in it only where they must be.
      const auto longest = static_cast<size_t>(batch.longest());
      const size_t scores = longest * longest * kHeads * sizeof(float);
      if (method.needs_scores) {
        EXPECT_GE(info.peak_memory, scores);
      } else if (longest >= 600) {
        EXPECT_LT(info.peak_memory, scores / 4);
      }
    }
    EXPECT_EQ(compile(encoder).planned_memory(Batch()), 0u);
  }
}

TEST_F(Facts, TrimGivesMemoryBack) {
  const Batch batch = Batch::dense(3, 50);
  const std::vector<float> x = Random(2).normals(batch.rows() * kDim);
  const auto before = run_output(engine, batch, x, kDim, {}, "mean");
  const size_t peak = engine.info().peak_memory;
  EXPECT_GT(engine.info().memory_in_use, 0u);
  engine.trim();
  EXPECT_EQ(engine.info().memory_in_use, 0u);
  EXPECT_EQ(engine.info().peak_memory, peak);
  EXPECT_TRUE(same_bits(run_output(engine, batch, x, kDim, {}, "mean"), before));
  EXPECT_GT(engine.info().memory_in_use, 0u);
}

TEST_F(Facts, WarmChangesNothingThatShows) {
  engine.warm(std::vector<int64_t>{0, 1, 16, 100});
  EXPECT_EQ(engine.info().memory_in_use, 0u);
  expect_error(ErrorCode::invalid_argument, "-3 tokens",
               [&] { engine.warm(std::vector<int64_t>{-3}); });
}

TEST_F(Facts, EnginesOfOneGraphShareTheirWeights) {
  const auto first = program_of(graph, Precision::f32), second = program_of(graph, Precision::f32);
  EXPECT_EQ(first->packed->data(), second->packed->data());
  const Engine small = compile(graph, {.threads = 1});
  // Also when compiled at the same time, and as long as somebody holds them.
  std::vector<const Program*> seen(8);
  {
    std::vector<std::jthread> threads;
    for (const Program*& program : seen)
      threads.emplace_back([&] { program = program_of(graph, Precision::f32).get(); });
  }
  for (const Program* program : seen) EXPECT_EQ(program, first.get());
  // Another graph of the same weights has its own.
  const Graph other = block.graph();
  EXPECT_NE(program_of(other, Precision::f32)->packed->data(), first->packed->data());
}

}  // namespace
}  // namespace headway
