// Building a graph: names, handles, types, and what cannot be compiled.
#include <gtest/gtest.h>

#include <utility>

#include "engine/layers/layer.hpp"
#include "headway/engine.hpp"
#include "headway/layers.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

constexpr auto kInvalid = ErrorCode::invalid_argument;

TEST(Graph, RefusesInputsThatCannotBe) {
  Graph graph;
  const Value x = graph.input("x", DType::f32, 4);
  expect_error(kInvalid, "an input needs a name", [&] { graph.input("", DType::f32, 4); });
  expect_error(kInvalid, "there is already an input named 'x'",
               [&] { graph.input("x", DType::i32, 1); });
  expect_error(kInvalid, "there is already an input named 'x'",
               [&] { graph.input("x", DType::i32, 1, x); });
  for (const int64_t width : {0, -1}) {
    expect_error(kInvalid, cat("input 'y' has the width ", width, ", expected at least 1"),
                 [&] { graph.input("y", DType::f32, width); });
  }
  for (const DType dtype : {DType::f64, DType::f16, DType::bf16, DType::i64, DType::u8}) {
    expect_error(kInvalid,
                 cat("input 'y' has the type ", to_string(dtype), ", expected f32 or i32"),
                 [&] { graph.input("y", dtype, 4); });
  }
  const Value pooled = pool(graph, x, Pooling::mean);
  expect_error(kInvalid,
               "input 'y' is to have the rows of f32 [sequences, 4], expected rows of tokens",
               [&] { graph.input("y", DType::f32, 4, pooled); });
}

TEST(Graph, HasAtMostEightTokenStreams) {
  Graph graph;
  for (int i = 0; i < 8; ++i) graph.input(cat("x", i), DType::f32, 1);
  expect_error(kInvalid, "input 'x8': a graph has at most 8 token streams",
               [&] { graph.input("x8", DType::f32, 1); });
  graph.input("y", DType::f32, 1, Value{0});  // in a stream there is
}

TEST(Graph, RefusesOutputsThatCannotBe) {
  Graph graph;
  const Value x = graph.input("x", DType::f32, 4);
  graph.output("y", x);
  expect_error(kInvalid, "an output needs a name", [&] { graph.output("", x); });
  expect_error(kInvalid, "there is already an output named 'y'", [&] { graph.output("y", x); });
  graph.output("x", x);  // an input of that name is something else
}

TEST(Graph, RefusesValuesOfAnotherGraph) {
  Graph small, large;
  large.input("a", DType::f32, 4);
  const Value foreign = large.input("b", DType::f32, 4);
  small.input("x", DType::f32, 4);
  const std::string message = "value 1 is not of this graph, which has 1";
  expect_error(kInvalid, message, [&] { small.output("y", foreign); });
  expect_error(kInvalid, message, [&] { (void)small.type(foreign); });
  expect_error(kInvalid, message, [&] { small.input("z", DType::f32, 4, foreign); });
  expect_error(kInvalid, "layer 'sum' (Add): " + message,
               [&] { add(small, foreign, foreign, "sum"); });
  expect_error(kInvalid, "value -1 is not of this graph", [&] { small.output("y", Value()); });
}

TEST(Graph, KnowsTheTypeOfEachValue) {
  Graph graph;
  const Value ids = graph.input("ids", DType::i32, 1);
  const Value x = graph.input("x", DType::f32, 4);
  const std::vector<float> numbers(64);
  const Weight square(TensorView(numbers.data(), {4, 4}));
  const MultiHeadValues attended = multi_head(
      graph, x, {{{square, {}}, {square, {}}, {square, {}}}, {square, {}}}, {.heads = 2});
  EXPECT_EQ(graph.type(ids).to_string(), "i32 [tokens of stream 0, 1]");
  EXPECT_EQ(graph.type(x).to_string(), "f32 [tokens of stream 1, 4]");
  EXPECT_EQ(graph.type(attended.weights).to_string(),
            "f32 [pairs of tokens of streams 1 and 1, 2]");
  EXPECT_EQ(graph.type(pool(graph, x, Pooling::cls)).to_string(), "f32 [sequences, 4]");
}

TEST(Graph, MovesWithItsValues) {
  Graph first;
  const Value x = first.input("x", DType::f32, 4);
  Graph second = std::move(first);
  second.output("y", x);
  const std::vector<float> numbers = {1, 2, 3, 4};
  EXPECT_EQ(run_output(compile(second), Batch::dense(1, 1), numbers, 4), numbers);
}

TEST(Compile, RefusesGraphsWithoutOutputsOrInputs) {
  Graph graph;
  expect_error(kInvalid, "the graph has no outputs", [&] { compile(graph); });
  graph.input("x", DType::f32, 4);
  expect_error(kInvalid, "the graph has no outputs", [&] { compile(graph); });

  // A layer of one's own may take nothing and make something.
  class Source : public Layer {
   public:
    std::string_view kind() const override { return "Source"; }
    std::vector<ValueType> infer(std::span<const ValueType>) const override {
      return {{DType::f32, {.kind = RowSpace::Kind::sequences}, 1}};
    }
    double flops(const StepShape&) const override { return 0; }
    void run(const StepArguments&) const override {}
  };
  Graph source;
  source.output("y", source.add("", std::make_shared<const Source>(), {})[0]);
  expect_error(kInvalid, "the graph has no inputs", [&] { compile(source); });
}

TEST(Compile, RefusesLimitsThatCannotBe) {
  Graph graph;
  graph.output("y", graph.input("x", DType::f32, 4));
  expect_error(kInvalid, "Limits::threads is -1, expected 0 to 1024",
               [&] { compile(graph, {.threads = -1}); });
  expect_error(kInvalid, "Limits::threads is 1025, expected 0 to 1024",
               [&] { compile(graph, {.threads = 1025}); });
  expect_error(kInvalid, "Limits::tokens is -5, expected at least 0",
               [&] { compile(graph, {.tokens = -5}); });
  EXPECT_EQ(compile(graph, {.threads = 1024}).info().threads, 1024);
  EXPECT_GE(compile(graph).info().threads, 1);
}

// What is added after an engine was compiled is not of that engine, but of the next.
TEST(Compile, TakesTheGraphAsItIsThen) {
  Graph graph;
  const Value x = graph.input("x", DType::f32, 2);
  graph.output("y", x);
  const Engine before = compile(graph);
  graph.output("z", activation(graph, x, Activation::relu));
  const Engine after = compile(graph);
  EXPECT_EQ(before.info().outputs, std::vector<std::string>{"y"});
  EXPECT_EQ(after.info().outputs, (std::vector<std::string>{"y", "z"}));
  const std::vector<float> values = {-1, 3};
  EXPECT_EQ(run_output(after, Batch::dense(1, 1), values, 2, {}, "z"), (std::vector<float>{0, 3}));
  EXPECT_EQ(run_output(before, Batch::dense(1, 1), values, 2), values);
}

}  // namespace
}  // namespace headway
