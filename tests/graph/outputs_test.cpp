// Any value can be an output; what is not bound is not delivered.
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "engine/graph/optimize.hpp"
#include "tests/graph/small_graph.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

constexpr int64_t kDim = SmallBlock::kDim, kHeads = SmallBlock::kHeads;

const Batch& ragged() {
  static const Batch batch = Batch::ragged(std::vector<int64_t>{5, 1, 0, 40, 17});
  return batch;
}

std::vector<float> numbers(const Batch& batch, int64_t width = kDim) {
  return Random(5).normals(batch.rows() * width);
}

TEST(Outputs, AnInputCanBeOne) {
  Graph graph;
  const Value ids = graph.input("ids", DType::i32, 1);
  const Value x = graph.input("x", DType::f32, 3, ids);
  graph.output("ids", ids);
  graph.output("x", x);
  graph.output("again", x);
  const Engine engine = compile(graph, {.threads = 2});
  const Batch& batch = ragged();
  std::vector<int32_t> in(static_cast<size_t>(batch.rows())), ids_out(in.size());
  std::iota(in.begin(), in.end(), -7);
  const std::vector<float> values = numbers(batch, 3);
  std::vector<float> out(values.size()), again(values.size());
  MutableTensorView ids_view;
  ids_view.data = ids_out.data();
  ids_view.dtype = DType::i32;
  ids_view.shape = {batch.rows(), 1};
  for (const Mode mode : {Mode::across, Mode::inside}) {
    std::fill(ids_out.begin(), ids_out.end(), 0);
    std::fill(out.begin(), out.end(), 0);
    RunOptions options;
    options.mode = mode;
    engine.run({{"ids", batch, {in.data(), {batch.rows()}}},
                {"x", batch, {values.data(), {batch.rows(), 3}}}},
               {{"ids", ids_view},
                {"x", {out.data(), {batch.rows(), 3}}},
                {"again", {again.data(), {batch.rows(), 3}}}},
               options);
    EXPECT_EQ(ids_out, in);
    EXPECT_EQ(out, values);
    EXPECT_EQ(again, values);
  }
}

TEST(Outputs, OneValueCanHaveSeveralNames) {
  const SmallBlock block{};
  Graph graph = block.graph();
  const Value doubled = add(graph, Value{0}, Value{0});
  for (const char* name : {"a", "b", "c"}) graph.output(name, doubled);
  const Engine engine = compile(graph, {.threads = 2});
  const std::vector<float> x = numbers(ragged());
  std::vector<float> expected = x;
  for (float& value : expected) value += value;
  for (const Mode mode : {Mode::across, Mode::inside}) {
    std::map<std::string, std::vector<float>> y;
    for (const char* name : {"a", "b", "c"}) y[name].resize(x.size());
    RunOptions options;
    options.mode = mode;
    engine.run({{"x", ragged(), {x.data(), {ragged().rows(), kDim}}}},
               {{"c", {y["c"].data(), {ragged().rows(), kDim}}},
                {"a", {y["a"].data(), {ragged().rows(), kDim}}},
                {"b", {y["b"].data(), {ragged().rows(), kDim}}}},
               options);
    for (const auto& [name, values] : y) EXPECT_EQ(values, expected) << name;
    EXPECT_EQ(run_output(engine, ragged(), x, kDim, options, "b"), expected);
  }
}

// A value read twice is no one's to fuse, and layers no output needs are gone.
TEST(Outputs, OnlyWhatIsNeededRuns) {
  Random random(7);
  const LinearNumbers square(random, kDim, kDim);
  Graph graph;
  const Value x = graph.input("x", DType::f32, kDim);
  const Value y = linear(graph, x, square.weights());
  graph.output("y", add(graph, activation(graph, y, Activation::relu), y));
  linear(graph, x, square.weights(), "dead");
  const auto nodes = optimize(graph.state());
  ASSERT_EQ(nodes.size(), 3u);
  for (const Node& node : nodes) EXPECT_EQ(node.name.find("dead"), std::string::npos);
  EXPECT_EQ(compile(graph).info().parameters, kDim * (kDim + 1));
}

TEST(Outputs, UnboundOnesAreNotWritten) {
  const SmallBlock block{};
  const Engine engine = compile(block.graph(), {.threads = 2});
  const std::vector<float> x = numbers(ragged());
  const auto hidden = run_output(engine, ragged(), x, kDim, {}, "hidden");
  const auto mean = run_output(engine, ragged(), x, kDim, {}, "mean");
  const auto weights = run_output(engine, ragged(), x, kDim, {}, "weights");
  std::vector<float> all_hidden(hidden.size()), all_mean(mean.size()), all_weights(weights.size());
  engine.run({{"x", ragged(), {x.data(), {ragged().rows(), kDim}}}},
             {{"mean", {all_mean.data(), {5, kDim}}},
              {"weights", {all_weights.data(), {static_cast<int64_t>(weights.size())}}},
              {"hidden", {all_hidden.data(), {ragged().rows(), kDim}}}});
  EXPECT_TRUE(same_bits(all_hidden, hidden));
  EXPECT_TRUE(same_bits(all_mean, mean));
  EXPECT_TRUE(same_bits(all_weights, weights));
  // None at all: the inputs are checked, nothing is computed.
  engine.run({{"x", ragged(), {x.data(), {ragged().rows(), kDim}}}}, {});
}

TEST(Outputs, AttentionWeightsOfADenseBatchAreFourDimensional) {
  const SmallBlock block{};
  const Engine engine = compile(block.graph(), {.threads = 2});
  constexpr int64_t kSequences = 3, kTokens = 9;
  const Batch batch = Batch::dense(kSequences, kTokens);
  const std::vector<float> x = numbers(batch);
  std::vector<float> w(kSequences * kHeads * kTokens * kTokens);
  engine.run({{"x", batch, {x.data(), {kSequences, kTokens, kDim}}}},
             {{"weights", {w.data(), {kSequences, kHeads, kTokens, kTokens}}}});
  // Sequence by sequence they are those of the sequence alone.
  for (int64_t i = 0; i < kSequences; ++i) {
    const std::vector<float> one(x.begin() + i * kTokens * kDim,
                                 x.begin() + (i + 1) * kTokens * kDim);
    const auto alone = run_output(engine, Batch::dense(1, kTokens), one, kDim, {}, "weights");
    ASSERT_EQ(alone.size(), static_cast<size_t>(kHeads * kTokens * kTokens));
    EXPECT_TRUE(same_bits(
        alone, std::span(w).subspan(static_cast<size_t>(i) * alone.size(), alone.size())));
  }
}

TEST(Outputs, AttentionWeightsOfARaggedBatchFollowEachOther) {
  const SmallBlock block{};
  const Engine engine = compile(block.graph(), {.threads = 2});
  const std::vector<float> x = numbers(ragged());
  const auto w = run_output(engine, ragged(), x, kDim, {}, "weights");
  size_t begin = 0;
  for (int64_t i = 0; i < ragged().sequences(); ++i) {
    const int64_t tokens = ragged().length(i), first = ragged().offsets()[static_cast<size_t>(i)];
    const std::vector<float> one(x.begin() + first * kDim, x.begin() + (first + tokens) * kDim);
    const auto alone = run_output(engine, Batch::dense(1, tokens), one, kDim, {}, "weights");
    EXPECT_TRUE(same_bits(alone, std::span(w).subspan(begin, alone.size()))) << i;
    begin += alone.size();
  }
  EXPECT_EQ(begin, w.size());
  EXPECT_EQ(begin, static_cast<size_t>(kHeads * (25 + 1 + 40 * 40 + 17 * 17)));
}

TEST(Outputs, OfEmptySequencesAndBatches) {
  const SmallBlock block{};
  const Engine engine = compile(block.graph(), {.threads = 2});
  for (const Mode mode : {Mode::automatic, Mode::across, Mode::inside}) {
    RunOptions options;
    options.mode = mode;
    // No sequences; three without tokens; one token.
    EXPECT_TRUE(run_output(engine, Batch(), {}, kDim, options, "mean").empty());
    EXPECT_TRUE(run_output(engine, Batch(), {}, kDim, options, "weights").empty());
    EXPECT_TRUE(run_output(engine, Batch::dense(3, 0), {}, kDim, options, "hidden").empty());
    EXPECT_EQ(run_output(engine, Batch::dense(3, 0), {}, kDim, options, "mean"),
              std::vector<float>(3 * kDim));
    const std::vector<float> one = Random(8).normals(kDim);
    EXPECT_EQ(run_output(engine, Batch::dense(1, 1), one, kDim, options, "weights"),
              std::vector<float>(kHeads, 1.0f));
    EXPECT_TRUE(same_bits(run_output(engine, Batch::dense(1, 1), one, kDim, options, "mean"),
                          run_output(engine, Batch::dense(1, 1), one, kDim, options, "hidden")));
  }
}

}  // namespace
}  // namespace headway
