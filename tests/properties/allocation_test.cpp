// From the second run of a shape on, Headway's own code allocates nothing; oneDNN's allocations are
// counted apart.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <new>
#include <thread>

#include "engine/ops/attention.hpp"
#include "engine/ops/onednn.hpp"
#include "engine/ops/precision.hpp"
#include "engine/platform/cpu.hpp"
#include "engine/runtime/parallel.hpp"
#include "tests/properties/counting_malloc.hpp"
#include "tests/properties/models.hpp"
#include "tests/support/probe_layer.hpp"

namespace headway {
namespace {

// Keeps the compiler from leaving out an allocation that nobody reads.
void touch(void* memory) {
  asm volatile("" : : "r"(memory) : "memory");
}

TEST(CountingMalloc, SeesEveryWayToAllocate) {
  void* memory[8] = {};
  start_counting();
  memory[0] = malloc(10);
  memory[1] = calloc(10, 2);
  memory[2] = realloc(memory[0], 100000);
  memory[3] = aligned_alloc(64, 128);
  const int failed = posix_memalign(&memory[4], 64, 100);
  memory[5] = ::operator new(10);
  memory[6] = ::operator new(64, std::align_val_t(64));
  memory[7] = ::operator new(10, std::nothrow);
  for (void* each : memory) touch(each);
  const Allocations seen = stop_counting();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(seen.ours, 8u);
  EXPECT_EQ(seen.onednn, 0u);
  for (const size_t i : {1, 2, 3, 4}) free(memory[i]);
  ::operator delete(memory[5]);
  ::operator delete(memory[6], std::align_val_t(64));
  ::operator delete(memory[7]);
}

TEST(CountingMalloc, SeesOtherThreads) {
  std::atomic<int> stage{0};
  std::jthread other([&] {
    stage.wait(0);
    touch(malloc(10));  // leaked: 10 bytes
    stage = 2;
    stage.notify_all();
  });
  start_counting();
  stage = 1;
  stage.notify_all();
  stage.wait(1);
  EXPECT_EQ(stop_counting().ours, 1u);
}

// Lengths of a dense and of a ragged batch, several groups of 512 rows each.
const std::vector<std::vector<int64_t>>& batches() {
  static const std::vector<std::vector<int64_t>> all = {
      std::vector<int64_t>(20, 60),
      {7, 1, 130, 16, 0, 17, 2, 300, 64, 33, 15, 65, 5, 48, 1, 9, 100, 3, 31, 20, 0, 127}};
  return all;
}

void expect_none(const Model& model, const Wanted& wanted) {
  for (const std::vector<int64_t>& lengths : batches())
    for (const int threads : {1, 2})
      for (const Mode mode : {Mode::automatic, Mode::across, Mode::inside}) {
        SCOPED_TRACE(testing::Message() << lengths.size() << " sequences, " << threads
                                        << " threads, mode " << static_cast<int>(mode));
        Random random(3);
        std::vector<Sequence> sequences;
        for (const int64_t length : lengths) sequences.push_back(model.sequence(random, length));
        BoundBatch batch(model, sequences, wanted);
        const Engine engine = model.engine(threads);
        RunOptions options;
        options.mode = mode;
        start_counting();
        batch.run(engine, options);
        const Allocations first = stop_counting();
        const size_t memory = engine.info().peak_memory;
        start_counting();
        for (int i = 0; i < 5; ++i) batch.run(engine, options);
        const Allocations later = stop_counting();
        EXPECT_GT(first.ours, 0u) << "the control: a first run plans";
        if (packed_bits_free_of_rows(Precision::f32)) {  // else products in f32 are ours
          EXPECT_GT(later.onednn, 0u) << "the control: oneDNN does allocate";
        }
        EXPECT_EQ(later.ours, 0u);
        // Across, which thread gets which group is chance, and so how far each slab has grown.
        if (threads == 1 || mode == Mode::inside) {
          EXPECT_EQ(engine.info().peak_memory, memory);
        }
      }
}

TEST(Allocation, NoneOfOursInMultiHead) {
  for (const AttentionMethod& method : attention_methods()) {
    SCOPED_TRACE(method.name);
    expect_none(MultiHeadModel(64, 8, method.strategy), {});
    expect_none(MultiHeadModel(64, 8, method.strategy), {true, false, false});
  }
}

template <typename ModelType>
void expect_none_in_block() {
  for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
    if (!is_fast(precision)) continue;  // an engine refuses it
    SCOPED_TRACE(to_string(precision));
    ModelType model;
    model.precision = precision;
    expect_none(model, {false, false, true});
  }
}

TEST(Allocation, NoneOfOursInABlock) {
  expect_none_in_block<BertModel>();
  expect_none_in_block<GatedModel>();
}

// Shapes that take turns are not planned anew.
TEST(Allocation, NoneOfOursWhenShapesTakeTurns) {
  const BertModel model;
  Random random(4);
  std::vector<std::unique_ptr<BoundBatch>> turns;
  for (const std::vector<int64_t>& lengths : batches()) {
    std::vector<Sequence> sequences;
    for (const int64_t length : lengths) sequences.push_back(model.sequence(random, length));
    turns.push_back(std::make_unique<BoundBatch>(model, sequences, Wanted()));
  }
  const Engine engine = model.engine(2);
  for (const auto& batch : turns) batch->run(engine);
  start_counting();
  for (int i = 0; i < 3; ++i)
    for (const auto& batch : turns) batch->run(engine);
  EXPECT_EQ(stop_counting().ours, 0u);
}

// Five callers of two threads: some wait, threads pass from one run to another.
TEST(Allocation, NoneOfOursWhileCallersWait) {
  constexpr int kCallers = 5;
  std::atomic<bool> meet{true};
  std::latch both(2);
  Graph graph;
  const Value x = graph.input("x", DType::f32, 8);
  graph.output("y", probe(graph, x, [&](int64_t sequence) {
                 if (meet && sequence == 0) both.arrive_and_wait();
                 std::this_thread::sleep_for(std::chrono::microseconds(50));
               }));
  const Engine engine = compile(graph, {.threads = 2});
  const Batch batch = Batch::dense(20, 100);
  const std::vector<float> in(static_cast<size_t>(batch.rows() * 8));
  const auto run = [&](std::vector<float>& out, const RunOptions& options) {
    engine.run({{"x", batch, {in.data(), {batch.rows(), 8}}}},
               {{"y", {out.data(), {batch.rows(), 8}}}}, options);
  };
  std::vector<std::vector<float>> outs(kCallers, std::vector<float>(in.size()));
  // Whatever a slab keeps for the run that begins in it is made by two runs at the same time.
  {
    RunOptions one;
    one.threads = 1;
    std::jthread other([&] { run(outs[1], one); });
    run(outs[0], one);
  }
  meet = false;
  // All threads that the pool can ever have, with nobody else about: among callers that hold the
  // cores the last one may start late.
  run_team(std::max(default_threads(), 2), [](Team&) {});
  std::atomic<int> ready{0}, ended{0};
  std::atomic<bool> go{false};
  std::vector<std::jthread> callers;
  for (auto& out : outs) {
    callers.emplace_back([&] {
      RunOptions options;
      for (const Mode mode : {Mode::across, Mode::inside}) {
        options.mode = mode;
        run(out, options);
      }
      ++ready;
      go.wait(false);
      for (int i = 0; i < 20; ++i) {
        options.mode = i % 3 == 0 ? Mode::inside : Mode::across;
        run(out, options);
      }
      ++ended;
    });
  }
  while (ready < kCallers) std::this_thread::yield();
  start_counting();
  go = true;
  go.notify_all();
  while (ended < kCallers) std::this_thread::yield();
  EXPECT_EQ(stop_counting().ours, 0u);
}

// The control: one allocation planted in a layer, on whichever thread has the sequence, is seen.
TEST(Allocation, APlantedOneIsCounted) {
  std::atomic<bool> planted{false};
  Graph graph;
  const Value x = graph.input("x", DType::f32, 8);
  graph.output("y", probe(graph, x, [&](int64_t sequence) {
                 if (sequence == 5 && planted) free(malloc(100 + static_cast<size_t>(sequence)));
               }));
  const Batch batch = Batch::dense(10, 100);
  const std::vector<float> in(static_cast<size_t>(batch.rows() * 8));
  std::vector<float> out(in.size());
  for (const Mode mode : {Mode::across, Mode::inside}) {
    const Engine engine = compile(graph, {.threads = 2});
    const auto count = [&] {
      RunOptions options;
      options.mode = mode;
      start_counting();
      engine.run({{"x", batch, {in.data(), {batch.rows(), 8}}}},
                 {{"y", {out.data(), {batch.rows(), 8}}}}, options);
      return stop_counting().ours;
    };
    planted = false;
    count();
    EXPECT_EQ(count(), 0u);
    planted = true;
    EXPECT_EQ(count(), 1u);
  }
}

}  // namespace
}  // namespace headway
