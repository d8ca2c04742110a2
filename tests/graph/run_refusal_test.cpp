// What Engine::run refuses, how it says so, and that nothing has been written then.
#include <gtest/gtest.h>

#include <functional>

#include "tests/graph/small_graph.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

constexpr auto kInvalid = ErrorCode::invalid_argument;
constexpr int64_t kDim = SmallBlock::kDim, kRows = 10;

// A run that is right, for tests to make wrong: inputs "x" [10, 32] and "ids" [10] in one token
// stream, "other" [4, 8] in another, each two sequences; outputs "y" and "mean".
class RunRefusal : public testing::Test {
 protected:
  RunRefusal() {
    const Value x = graph.input("x", DType::f32, kDim);
    graph.input("ids", DType::i32, 1, x);
    graph.input("other", DType::f32, 8);
    graph.output("y", activation(graph, x, Activation::relu));
    graph.output("mean", pool(graph, x, Pooling::mean));
  }

  // Runs and expects the error, and outputs as they were.
  void expect_refused(ErrorCode code, const std::string& text, const RunOptions& options = {},
                      const Limits& limits = {.threads = 2}) {
    const Engine engine = compile(graph, limits);
    std::fill(y.begin(), y.end(), 7.0f);
    std::fill(mean.begin(), mean.end(), 7.0f);
    expect_error(code, text, [&] { engine.run(inputs, outputs, options); });
    for (const float value : y) ASSERT_EQ(value, 7) << "y was written";
    for (const float value : mean) ASSERT_EQ(value, 7) << "mean was written";
  }
  void replace(size_t i, const Input& input) {
    std::vector<Input> changed;
    for (size_t j = 0; j < inputs.size(); ++j) changed.push_back(j == i ? input : inputs[j]);
    inputs.swap(changed);
  }

  Graph graph;
  const Batch batch = Batch::ragged(std::vector<int64_t>{7, 3});
  const Batch swapped = Batch::ragged(std::vector<int64_t>{3, 7});
  const Batch other_batch = Batch::dense(2, 2);
  const Batch three = Batch::ragged(std::vector<int64_t>{1, 2, 1});
  std::vector<float> x = std::vector<float>(kRows * kDim + 1, 1.0f);
  std::vector<int32_t> ids = std::vector<int32_t>(kRows);
  std::vector<float> y = std::vector<float>(kRows * kDim + 1), mean = std::vector<float>(2 * kDim);
  std::vector<Input> inputs = {{"x", batch, {x.data(), {kRows, kDim}}},
                               {"ids", batch, {ids.data(), {kRows}}},
                               {"other", other_batch, {x.data(), {4, 8}}}};
  std::vector<Output> outputs = {{"y", {y.data(), {kRows, kDim}}},
                                 {"mean", {mean.data(), {2, kDim}}}};
};

TEST_F(RunRefusal, NothingOfWhatIsRight) {
  const Engine engine = compile(graph, {.threads = 2});
  engine.run(inputs, outputs);
  for (size_t i = 0; i < kRows * kDim; ++i) ASSERT_EQ(y[i], 1);
  EXPECT_EQ(mean, std::vector<float>(2 * kDim, 1.0f));
}

TEST_F(RunRefusal, UnknownInput) {
  replace(1, {"tokens", batch, {ids.data(), {kRows}}});
  expect_refused(kInvalid, "there is no input 'tokens'; inputs are 'x', 'ids', 'other'");
}

TEST_F(RunRefusal, MissingInput) {
  inputs.pop_back();
  expect_refused(kInvalid, "input 'other' is not bound");
  inputs.clear();
  expect_refused(kInvalid, "input 'x' is not bound");
}

TEST_F(RunRefusal, InputBoundTwice) {
  inputs.push_back(inputs[0]);
  expect_refused(kInvalid, "input 'x' is bound twice");
}

TEST_F(RunRefusal, UnknownOutput) {
  outputs.push_back({"z", {mean.data(), {2, kDim}}});
  expect_refused(kInvalid, "there is no output 'z'; outputs are 'y', 'mean'");
}

TEST_F(RunRefusal, OutputBoundTwice) {
  outputs.push_back(outputs[0]);
  expect_refused(kInvalid, "output 'y' is bound twice");
}

TEST_F(RunRefusal, InputOfAnotherType) {
  replace(0, {"x", batch, {ids.data(), {kRows, kDim}}});
  expect_refused(kInvalid, "input 'x' has the type i32, expected f32");
  replace(0, {"x", batch, {x.data(), DType::f16, {kRows, kDim}}});
  expect_refused(kInvalid, "input 'x' has the type f16, expected f32");
}

TEST_F(RunRefusal, OutputOfAnotherType) {
  outputs[0].data.dtype = DType::i32;
  expect_refused(kInvalid, "output 'y' has the type i32, expected f32");
}

TEST_F(RunRefusal, InputOfAnotherShape) {
  for (const Shape& shape : {Shape{kRows, kDim + 1}, Shape{kRows - 1, kDim}, Shape{kDim, kRows},
                             Shape{}, Shape{kRows * kDim - 1}, Shape{0, kDim}}) {
    replace(0, {"x", batch, {x.data(), shape}});
    expect_refused(kInvalid, "input 'x' has the shape " + shape.to_string() +
                                 ", expected 10 rows of 32 (320 elements)");
  }
  // Any shape of as many elements that ends in the width will do.
  for (const Shape& shape : {Shape{2, 5, kDim}, Shape{1, kRows, 1, kDim}, Shape{kRows * kDim}}) {
    replace(0, {"x", batch, {x.data(), shape}});
    compile(graph, {.threads = 2}).run(inputs, outputs);
  }
  replace(0, {"x", batch, {x.data(), {INT64_MAX, INT64_MAX, kDim}}});
  expect_refused(ErrorCode::limit, "elements of a shape");
}

TEST_F(RunRefusal, OutputOfAnotherShape) {
  outputs[1].data.shape = {3, kDim};
  expect_refused(kInvalid,
                 "output 'mean' has the shape [3, 32], expected 2 rows of 32 (64 elements)");
}

TEST_F(RunRefusal, NoData) {
  replace(0, {"x", batch, {static_cast<float*>(nullptr), {kRows, kDim}}});
  expect_refused(kInvalid, "input 'x' has no data");
  replace(0, {"x", batch, {x.data(), {kRows, kDim}}});
  outputs[1].data.data = nullptr;
  expect_refused(kInvalid, "output 'mean' has no data");
}

TEST_F(RunRefusal, DataAtOddAddresses) {
  const auto* odd = reinterpret_cast<const char*>(x.data()) + 1;
  replace(0, {"x", batch, {odd, DType::f32, {kRows, kDim}}});
  expect_refused(kInvalid, "input 'x' is not aligned to its elements of 4 bytes");
  replace(0, {"x", batch, {x.data() + 1, {kRows, kDim}}});  // any element's address will do
  outputs[0].data.data = y.data() + 1;
  compile(graph, {.threads = 2}).run(inputs, outputs);
  outputs[0].data.data = reinterpret_cast<char*>(y.data()) + 2;
  expect_refused(kInvalid, "output 'y' is not aligned to its elements of 4 bytes");
}

TEST_F(RunRefusal, InputsOfOneStreamThatDiffer) {
  for (const size_t i : {0, 1}) {
    SCOPED_TRACE(i);
    const std::vector<Input> right = inputs;
    replace(i, {inputs[i].name, swapped, inputs[i].data});
    expect_refused(kInvalid, "has other sequence lengths than another input of its token stream");
    std::vector<Input> restored = right;
    inputs.swap(restored);
  }
}

TEST_F(RunRefusal, StreamsOfAnotherNumberOfSequences) {
  replace(2, {"other", three, {x.data(), {4, 8}}});
  expect_refused(kInvalid, "input 'other' has 3 sequences, expected 2 as input 'x'");
}

TEST_F(RunRefusal, SequencesBeyondTheLimit) {
  expect_refused(ErrorCode::limit, "input 'x' has a sequence of 7 tokens, allowed are 6", {},
                 {.threads = 2, .tokens = 6});
  compile(graph, {.threads = 2, .tokens = 7}).run(inputs, outputs);
}

TEST_F(RunRefusal, NegativeThreads) {
  RunOptions options;
  options.threads = -1;
  expect_refused(kInvalid, "RunOptions::threads is -1, expected at least 0", options);
  options.threads = 1 << 30;  // as many as the limit allows
  compile(graph, {.threads = 2}).run(inputs, outputs, options);
}

TEST_F(RunRefusal, CancelledBefore) {
  std::stop_source stop;
  stop.request_stop();
  RunOptions options;
  options.stop = stop.get_token();
  expect_refused(ErrorCode::cancelled, "the call was cancelled", options);
}

// A lookup and a Linear: one costs nothing, as far as arithmetic is counted, so that a sequence's
// need of memory does not show in its cost.
class MemoryLimit : public testing::Test {
 protected:
  static constexpr int64_t kWidth = 300;

  Engine engine_with(size_t memory, int threads) const {
    Graph graph;
    const Value ids = graph.input("ids", DType::i32, 1);
    const Value words = embedding(graph, ids, TensorView(table.data(), {10, kWidth}));
    graph.output("y", pool(graph, words, Pooling::mean));
    return compile(graph, {.threads = threads, .memory = memory});
  }
  std::vector<float> run(const Engine& engine, Mode mode = Mode::automatic) const {
    std::vector<float> y(static_cast<size_t>(batch.sequences()) * kWidth, 7.0f);
    RunOptions options;
    options.mode = mode;
    try {
      engine.run({{"ids", batch, {ids.data(), {batch.rows()}}}},
                 {{"y", {y.data(), {batch.sequences(), kWidth}}}}, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::limit);
      message = error.what();
      for (const float value : y) EXPECT_EQ(value, 7) << "something was written";
      return {};
    }
    return y;
  }

  // The longest sequence, rounded up to 112 rows, and slack, in pages.
  const size_t needed = (112 * kWidth * sizeof(float) + 64 + 4095) / 4096 * 4096;
  std::vector<float> table = Random(1).normals(10 * kWidth);
  const Batch batch = Batch::ragged(std::vector<int64_t>{1, 30, 2, 100, 5, 100, 1});
  std::vector<int32_t> ids = Random(2).ids(batch.rows(), 10);
  mutable std::string message;
};

TEST_F(MemoryLimit, CutsGroupsUntilTheyFit) {
  const auto unlimited = run(engine_with(0, 1));
  ASSERT_FALSE(unlimited.empty());
  for (const int threads : {1, 2})
    for (const Mode mode : {Mode::automatic, Mode::across, Mode::inside}) {
      const Engine engine = engine_with(threads * needed, threads);
      EXPECT_TRUE(same_bits(run(engine, mode), unlimited)) << message;
      EXPECT_LE(engine.info().peak_memory, threads * needed);
    }
}

TEST_F(MemoryLimit, RefusesWhatCannotBeCutBeforeAnythingIsWritten) {
  for (const int threads : {1, 2})
    for (const Mode mode : {Mode::across, Mode::inside}) {
      EXPECT_TRUE(run(engine_with(threads * (needed - 64), threads), mode).empty());
      EXPECT_THAT(message, testing::HasSubstr("sequence 3 needs " + std::to_string(needed) +
                                              " bytes of working memory, allowed are " +
                                              std::to_string(needed - 64) + " (Limits::memory of " +
                                              std::to_string(threads * (needed - 64)) + " for " +
                                              std::to_string(threads) + " threads)"));
    }
}

}  // namespace
}  // namespace headway
