// Embedding by id and by position: which rows come out, and what is refused.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "engine/layers/layer.hpp"
#include "headway/layers.hpp"
#include "tests/layers/stored_weight.hpp"
#include "tests/reference/functions.hpp"
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

TEST(Embedding, ReachesRowsBeyond2ToThe31Values) {
  // 12 GB of address space; only the pages that are read get memory.
  constexpr int64_t kRows = 1'500'000, kWide = 2048;
  void* mapped = mmap(nullptr, kRows * kWide * sizeof(float), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* table = static_cast<float*>(mapped);
  table[(kRows - 1) * kWide] = 1;
  table[kRows * kWide - 1] = 2;
  {
    Graph graph;
    const Value ids = graph.input("ids", DType::i32, 1);
    graph.output("y", embedding(graph, ids, TensorView(table, {kRows, kWide})));
    const int32_t id = kRows - 1;
    std::vector<float> y(kWide);
    compile(graph).run({{"ids", Batch::dense(1, 1), {&id, {1}}}}, {{"y", {y.data(), {1, kWide}}}});
    EXPECT_EQ(y.front(), 1);
    EXPECT_EQ(y.back(), 2);
  }
  munmap(mapped, kRows * kWide * sizeof(float));
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

// As transformers' create_position_ids_from_input_ids.
std::vector<int64_t> counted_places(const Batch& batch, const std::vector<int32_t>& ids,
                                    int32_t pad) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < batch.sequences(); ++i) {
    int64_t counted = 0;
    for (int64_t row = batch.offsets()[i]; row < batch.offsets()[i + 1]; ++row) {
      const bool is_pad = ids[static_cast<size_t>(row)] == pad;
      if (!is_pad) ++counted;
      places.push_back(is_pad ? pad : pad + counted);
    }
  }
  return places;
}

TEST(PositionEmbedding, CountsTheTokensThatAreNotPadding) {
  Random random(6);
  const StoredWeight table(random, DType::f32, {80, kWidth}, 1.0f);
  // Blocks of 32 rows begin within sequences, and a sequence has none but padding.
  const Batch batch = Batch::ragged(std::vector<int64_t>{3, 78, 0, 70, 4, 40, 1});
  for (const int32_t pad : {0, 1}) {
    std::vector<int32_t> ids = random.ids(batch.rows(), 4);
    std::fill_n(ids.begin() + batch.offsets()[4], 4, pad);
    const std::vector<int64_t> places = counted_places(batch, ids, pad);
    Graph graph;
    const Value in = graph.input("ids", DType::i32, 1);
    graph.output("y", position_embedding(graph, in, table.weight(), pad));
    const Engine engine = compile(graph, {.threads = 2});
    for (const Mode mode : {Mode::across, Mode::inside}) {
      std::vector<float> y(ids.size() * kWidth);
      RunOptions options;
      options.mode = mode;
      engine.run({{"ids", batch, {ids.data(), {batch.rows()}}}},
                 {{"y", {y.data(), {batch.rows(), kWidth}}}}, options);
      for (size_t row = 0; row < ids.size(); ++row)
        for (size_t d = 0; d < kWidth; ++d)
          ASSERT_EQ(y[row * kWidth + d],
                    table.values()[static_cast<size_t>(places[row]) * kWidth + d])
              << "row " << row;
    }
    const Batch longer = Batch::dense(1, 80 - pad);
    const std::vector<int32_t> same(80, pad);
    std::vector<float> y(80 * kWidth);
    expect_error(ErrorCode::limit, cat("has ", 80 - pad, " tokens, but the table has ", 79 - pad),
                 [&] {
                   engine.run({{"ids", longer, {same.data(), {80 - pad}}}},
                              {{"y", {y.data(), {80 - pad, kWidth}}}});
                 });
  }
}

TEST(PositionEmbedding, RefusesPaddingOutsideTheTable) {
  Random random(6);
  const StoredWeight table(random, DType::f32, {80, kWidth}, 1.0f);
  Graph graph;
  const Value in = graph.input("ids", DType::i32, 1);
  const Value x = graph.input("x", DType::f32, 1);
  for (const int64_t pad : {-1, 80})
    expect_error(ErrorCode::invalid_argument, cat("pad is ", pad, ", expected a row of the table"),
                 [&] { position_embedding(graph, in, table.weight(), pad); });
  expect_error(ErrorCode::invalid_argument, "expected i32 [tokens, 1]",
               [&] { position_embedding(graph, x, table.weight(), 1); });
}

// What BERT begins with: the tables' rows summed up and normalized, in one step.
struct EmbeddingSum {
  explicit EmbeddingSum(const Storage& storage = {DType::f32, false})
      : words(random, storage.dtype, {50, kWidth}, 1.0f, storage.odd),
        types(random, storage.dtype, {2, kWidth}, 1.0f, storage.odd),
        places(random, storage.dtype, {40, kWidth}, 1.0f, storage.odd) {
    const Value ids_in = graph.input("ids", DType::i32, 1);
    const Value types_in = graph.input("type_ids", DType::i32, 1, ids_in);
    Value x = add(graph, embedding(graph, ids_in, words.weight("a file: words")),
                  embedding(graph, types_in, types.weight("a file: types")));
    x = add(graph, x, position_embedding(graph, ids_in, places.weight("a file: places")));
    graph.output("y", layer_norm(graph, x, gamma.weight(), beta.weight(), 1e-12f));
  }

  // Fills y, which was 7.
  void run(const Batch& batch, Mode mode) {
    y.assign(static_cast<size_t>(batch.rows() * kWidth), 7.0f);
    RunOptions options;
    options.mode = mode;
    compile(graph, {.threads = 2})
        .run({{"ids", batch, {ids.data(), {batch.rows()}}},
              {"type_ids", batch, {type_ids.data(), {batch.rows()}}}},
             {{"y", {y.data(), {batch.rows(), kWidth}}}}, options);
  }

  Random random{7};
  StoredWeight words, types, places;
  const StoredWeight gamma{random, DType::f32, {kWidth}, 2.0f};
  const StoredWeight beta{random, DType::f32, {kWidth}, 2.0f};
  Graph graph;
  std::vector<int32_t> ids = random.ids(200, 50), type_ids = random.ids(200, 2);
  std::vector<float> y;
};

TEST(EmbeddingSum, IsTheNormalizedSumOfItsTables) {
  const Batch batch = Batch::ragged(std::vector<int64_t>{0, 3, 40, 0, 0, 1, 39, 33, 0});
  for (const Storage& storage : storages()) {
    SCOPED_TRACE(storage.name());
    EmbeddingSum sum(storage);
    const auto gamma = reference::widen(sum.gamma.values());
    const auto beta = reference::widen(sum.beta.values());
    const auto value = [](const StoredWeight& table, int64_t row, int64_t column) {
      return double{table.values()[static_cast<size_t>(row * kWidth + column)]};
    };
    for (const Mode mode : {Mode::across, Mode::inside}) {
      sum.run(batch, mode);
      size_t row = 0;
      for (int64_t i = 0; i < batch.sequences(); ++i)
        for (int64_t t = 0; t < batch.length(i); ++t, ++row) {
          std::vector<double> exact;
          for (int64_t d = 0; d < kWidth; ++d)
            exact.push_back(value(sum.words, sum.ids[row], d) +
                            value(sum.types, sum.type_ids[row], d) + value(sum.places, t, d));
          exact = reference::layer_norm(exact, gamma, beta, 1e-12);
          for (size_t d = 0; d < kWidth; ++d)
            ASSERT_NEAR(sum.y[row * kWidth + d], exact[d], 3e-6) << "row " << row;
        }
    }
  }
}

// Before anything is written, and saying of which table.
TEST(EmbeddingSum, RefusesWhatIsOutsideOneOfItsTables) {
  EmbeddingSum sum;
  const Batch batch = Batch::ragged(std::vector<int64_t>{40, 0, 38});
  const auto expect_refused = [&](ErrorCode code, const std::string& text, const Batch& lengths) {
    for (const Mode mode : {Mode::across, Mode::inside}) {
      expect_error(code, text, [&] { sum.run(lengths, mode); });
      EXPECT_EQ(sum.y, std::vector<float>(sum.y.size(), 7.0f)) << "something was written";
    }
  };
  for (const int32_t id : {-1, 50, INT32_MIN, INT32_MAX}) {
    sum.ids[77] = id;
    expect_refused(
        ErrorCode::invalid_argument,
        cat("(Embedding): id ", id,
            " of token 37 in sequence 2 is outside the table (a file: words) of 50 rows"),
        batch);
  }
  sum.ids[77] = 49;
  sum.type_ids[40] = 2;
  expect_refused(ErrorCode::invalid_argument,
                 "id 2 of token 0 in sequence 2 is outside the table (a file: types) of 2 rows",
                 batch);
  sum.type_ids[40] = 1;
  expect_refused(ErrorCode::limit,
                 "sequence 1 has 41 tokens, but the table (a file: places) has 40 positions",
                 Batch::ragged(std::vector<int64_t>{40, 41}));
  sum.run(batch, Mode::automatic);  // the control: nothing else is wrong
}

}  // namespace
}  // namespace headway
