// Embedding by id and by position: which rows come out, and what is refused.
#include <gtest/gtest.h>

#include "engine/layers/layer.hpp"
#include "headway/layers.hpp"
#include "tests/layers/stored_weight.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

constexpr int64_t kWidth = 19;

// The graph y = table[ids], with its packed weights.
struct Lookup {
  explicit Lookup(const Weight& table, const Limits& limits = {.threads = 2})
      : engine([&] {
          Graph graph;
          graph.output("y", embedding(graph, graph.input("ids", DType::i32, 1), table, "words"));
          return compile(graph, limits);
        }()) {}

  std::vector<float> run(const Batch& batch, const std::vector<int32_t>& ids,
                         const RunOptions& options = {}) const {
    std::vector<float> y(ids.size() * kWidth);
    const auto rows = static_cast<int64_t>(ids.size());
    engine.run({{"ids", batch, {ids.data(), {rows}}}}, {{"y", {y.data(), {rows, kWidth}}}},
               options);
    return y;
  }

  Engine engine;
};

TEST(Embedding, PicksRowsFromEveryStorage) {
  for (const Storage& storage : storages()) {
    SCOPED_TRACE(storage.name());
    Random random(1);
    const StoredWeight table(random, storage.dtype, {50, kWidth}, 1.0f, storage.odd);
    std::vector<int32_t> ids = random.ids(100, 50);
    ids[0] = 0;
    ids[99] = 49;
    const Lookup lookup(table.weight());
    const std::vector<float> y = lookup.run(Batch::ragged(std::vector<int64_t>{1, 0, 99}), ids);
    for (size_t i = 0; i < ids.size(); ++i)
      for (size_t d = 0; d < kWidth; ++d)
        ASSERT_EQ(y[i * kWidth + d], table.values()[static_cast<size_t>(ids[i]) * kWidth + d]);
    // An aligned f32 table is read where it lies.
    const bool in_place = storage.dtype == DType::f32 && !storage.odd;
    EXPECT_EQ(lookup.engine.info().packed_weights > 0, !in_place);
  }
}

TEST(Embedding, RefusesIdsOutsideTheTable) {
  Random random(2);
  const StoredWeight table(random, DType::f32, {50, kWidth}, 1.0f);
  const Lookup lookup(table.weight());
  const std::vector<int64_t> lengths = {40, 0, 60, 8};
  for (const Mode mode : {Mode::across, Mode::inside})
    for (const int32_t id : {-1, 50, INT32_MIN, INT32_MAX}) {
      std::vector<int32_t> ids = random.ids(108, 50);
      ids[40 + 59] = id;
      std::vector<float> y(108 * kWidth, 7.0f);
      const Batch batch = Batch::ragged(lengths);
      RunOptions options;
      options.mode = mode;
      expect_error(ErrorCode::invalid_argument,
                   cat("layer 'words' (Embedding): id ", id,
                       " of token 59 in sequence 2 is outside the table of 50 rows"),
                   [&] {
                     lookup.engine.run({{"ids", batch, {ids.data(), {108}}}},
                                       {{"y", {y.data(), {108, kWidth}}}}, options);
                   });
      EXPECT_EQ(y, std::vector<float>(108 * kWidth, 7.0f)) << "something was written";
    }
  // The engine is as good as before.
  lookup.run(Batch::ragged(lengths), random.ids(108, 50));
}

// Ids that another layer makes are known only when it has run.
TEST(Embedding, RefusesIdsOfAnotherLayer) {
  class AddHundred : public Layer {
   public:
    std::string_view kind() const override { return "AddHundred"; }
    std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
      return {inputs[0]};
    }
    double flops(const StepShape&) const override { return 0; }
    void run(const StepArguments& step) const override {
      step.team.for_each(step.inputs[0].rows, [&](int64_t i) {
        step.outputs[0].as<int32_t>()[i] = step.inputs[0].as<const int32_t>()[i] + 100;
      });
    }
  };
  Random random(5);
  const StoredWeight table(random, DType::f32, {120, kWidth}, 1.0f);
  Graph graph;
  const Value ids = graph.input("ids", DType::i32, 1);
  const Value more = graph.add("", std::make_shared<const AddHundred>(), std::span(&ids, 1))[0];
  graph.output("y", embedding(graph, more, table.weight(), "words"));
  const Engine engine = compile(graph, {.threads = 2});
  const Batch batch = Batch::dense(2, 2);
  std::vector<float> y(4 * kWidth);
  for (const Mode mode : {Mode::across, Mode::inside}) {
    RunOptions options;
    options.mode = mode;
    std::vector<int32_t> values = {0, 19, 3, 7};
    const auto run = [&] {
      engine.run({{"ids", batch, {values.data(), {4}}}}, {{"y", {y.data(), {4, kWidth}}}}, options);
    };
    run();
    EXPECT_EQ(y[3 * kWidth], table.values()[107 * kWidth]);
    values[3] = 20;
    expect_error(ErrorCode::invalid_argument,
                 "id 120 of token 1 in sequence 1 is outside the table of 120 rows", run);
  }
}

TEST(PositionEmbedding, CountsTokensInTheirSequence) {
  for (const Storage& storage : storages()) {
    SCOPED_TRACE(storage.name());
    Random random(3);
    const StoredWeight table(random, storage.dtype, {40, kWidth}, 1.0f, storage.odd);
    const Batch batch = Batch::ragged(std::vector<int64_t>{3, 40, 0, 1});
    const std::vector<float> x(static_cast<size_t>(batch.rows()));
    const auto y = run_layer(batch, x, 1, [&](Graph& graph, Value value) {
      return position_embedding(graph, value, table.weight());
    });
    size_t row = 0;
    for (int64_t i = 0; i < batch.sequences(); ++i)
      for (int64_t t = 0; t < batch.length(i); ++t, ++row)
        for (size_t d = 0; d < kWidth; ++d)
          ASSERT_EQ(y[row * kWidth + d], table.values()[static_cast<size_t>(t) * kWidth + d]);
  }
}

TEST(PositionEmbedding, RefusesSequencesBeyondItsTable) {
  Random random(4);
  const StoredWeight table(random, DType::f32, {40, kWidth}, 1.0f);
  const Batch batch = Batch::ragged(std::vector<int64_t>{40, 41});
  Graph graph;
  const Value x = graph.input("x", DType::f32, 1);
  graph.output("y", position_embedding(graph, x, table.weight(), "places"));
  const Engine engine = compile(graph);
  const std::vector<float> values(81);
  std::vector<float> y(81 * kWidth, 7.0f);
  expect_error(
      ErrorCode::limit,
      "layer 'places' (PositionEmbedding): sequence 1 has 41 tokens, but the table has 40 "
      "positions",
      [&] {
        engine.run({{"x", batch, {values.data(), {81, 1}}}}, {{"y", {y.data(), {81, kWidth}}}});
      });
  EXPECT_EQ(y, std::vector<float>(81 * kWidth, 7.0f)) << "something was written";
}

}  // namespace
}  // namespace headway
