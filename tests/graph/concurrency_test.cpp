// Many callers of one engine: busy, waiting, cancelling, failing.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <stdexcept>
#include <thread>

#include "tests/graph/small_graph.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/probe_layer.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

constexpr int64_t kDim = SmallBlock::kDim;

RunOptions in_mode(Mode mode) {
  RunOptions options;
  options.mode = mode;
  return options;
}

// An engine whose runs pass through `body` once a sequence.
Engine probed(int threads, std::function<void(int64_t)> body, const SmallBlock& block) {
  Graph graph;
  const Value x = graph.input("x", DType::f32, kDim);
  const Value first = linear(graph, x, block.out.weights());
  const Value seen = probe(graph, first, std::move(body));
  graph.output("y", linear(graph, seen, block.out.weights()));
  return compile(graph, {.threads = threads});
}

// Holds whoever comes in until it is opened; says when somebody is in.
class Gate {
 public:
  void pass() {
    in_.test_and_set();
    in_.notify_all();
    open_.wait(false);
  }
  void wait_until_taken() const { in_.wait(false); }
  void open() {
    open_.test_and_set();
    open_.notify_all();
  }

 private:
  std::atomic_flag in_, open_;
};

class Concurrency : public testing::Test {
 protected:
  std::vector<float> run(const Engine& engine, const RunOptions& options = {}) const {
    return run_output(engine, batch, x, kDim, options);
  }

  const SmallBlock block{};
  const Batch batch = Batch::ragged(std::vector<int64_t>{5, 30, 1, 0, 12, 80, 7});
  const std::vector<float> x = Random(1).normals(batch.rows() * kDim);
};

TEST_F(Concurrency, ACallerThatDoesNotWaitIsToldBusy) {
  for (const int threads : {1, 2})
    for (const Mode mode : {Mode::across, Mode::inside}) {
      Gate gate;
      const Engine engine = probed(
          threads, [&](int64_t) { gate.pass(); }, block);
      std::vector<float> held;
      std::jthread holder([&] { held = run(engine, in_mode(mode)); });
      gate.wait_until_taken();
      RunOptions impatient;
      impatient.wait = false;
      expect_error(ErrorCode::busy, "every slab of the engine is in use",
                   [&] { run(engine, impatient); });
      gate.open();
      holder.join();
      EXPECT_TRUE(same_bits(run(engine, impatient), held));
    }
}

TEST_F(Concurrency, ACallerThatWaitsGetsItsTurn) {
  Gate gate;
  const Engine engine = probed(
      1, [&](int64_t) { gate.pass(); }, block);
  std::vector<float> first, second;
  std::jthread holder([&] { first = run(engine); });
  gate.wait_until_taken();
  std::jthread waiter([&] { second = run(engine); });
  gate.open();
  holder.join();
  waiter.join();
  EXPECT_FALSE(first.empty());
  EXPECT_TRUE(same_bits(first, second));
}

TEST_F(Concurrency, WaitingCanBeCancelled) {
  Gate gate;
  const Engine engine = probed(
      1, [&](int64_t) { gate.pass(); }, block);
  std::jthread holder([&] { run(engine); });
  gate.wait_until_taken();
  std::stop_source stop;
  RunOptions options;
  options.stop = stop.get_token();
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that the run waits, mostly
    stop.request_stop();
  });
  expect_error(ErrorCode::cancelled, "cancelled", [&] { run(engine, options); });
  gate.open();
  holder.join();
  EXPECT_FALSE(run(engine).empty());
}

// Cancelled by the first sequence that passes the probe: no step after it runs.
TEST_F(Concurrency, RunningCanBeCancelled) {
  for (const int threads : {1, 2})
    for (const Mode mode : {Mode::across, Mode::inside}) {
      std::stop_source stop;
      std::atomic<bool> armed{true};
      const Engine engine = probed(
          threads,
          [&](int64_t) {
            if (armed) stop.request_stop();
          },
          block);
      RunOptions options = in_mode(mode);
      options.stop = stop.get_token();
      expect_error(ErrorCode::cancelled, "the call was cancelled", [&] { run(engine, options); });
      armed = false;
      EXPECT_FALSE(run(engine, in_mode(mode)).empty());
    }
}

TEST_F(Concurrency, AnExceptionInALayerReachesTheCallerAndLeavesTheEngineUsable) {
  for (const int threads : {1, 2, 5})
    for (const Mode mode : {Mode::across, Mode::inside}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, mode " << static_cast<int>(mode));
      std::atomic<int64_t> failing{-1};
      const Engine engine = probed(
          threads,
          [&](int64_t sequence) {
            if (sequence == failing)
              throw std::runtime_error("sequence " + std::to_string(sequence));
          },
          block);
      const auto good = run(engine, in_mode(mode));
      for (int64_t i = 0; i < batch.sequences(); ++i) {
        failing = i;
        try {
          run(engine, in_mode(mode));
          ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
          EXPECT_EQ(error.what(), "sequence " + std::to_string(i));
        }
        failing = -1;
        EXPECT_TRUE(same_bits(run(engine, in_mode(mode)), good));
      }
    }
}

// Memory and slabs are shared; every caller gets its own result.
TEST_F(Concurrency, ManyCallersAtOnce) {
  const Engine engine = compile(block.graph(), {.threads = 2});
  constexpr int kCallers = 8, kRuns = 20;
  std::vector<Batch> batches;
  std::vector<std::vector<float>> xs, expected;
  for (int caller = 0; caller < kCallers; ++caller) {
    Random random(static_cast<uint32_t>(100 + caller));
    batches.push_back(Batch::ragged(std::vector<int64_t>{random.below(40), 3, random.below(9)}));
    xs.push_back(random.normals(batches.back().rows() * kDim));
    expected.push_back(run_output(engine, batches.back(), xs.back(), kDim, {}, "mean"));
  }
  std::latch start(kCallers);
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < kCallers; ++caller) {
      callers.emplace_back([&, caller] {
        start.arrive_and_wait();
        try {
          for (int i = 0; i < kRuns; ++i) {
            const Mode mode = i % 3 == 0   ? Mode::automatic
                              : i % 3 == 1 ? Mode::across
                                           : Mode::inside;
            const auto index = static_cast<size_t>(caller);
            const auto mean =
                run_output(engine, batches[index], xs[index], kDim, in_mode(mode), "mean");
            wrong += !same_bits(mean, expected[index]);
          }
        } catch (const std::exception&) {
          wrong += 1000;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(Concurrency, EnginesOutliveTheirGraphAndTheirCopies) {
  std::vector<float> before, after;
  auto graph = std::make_unique<Graph>(block.graph());
  auto engine = std::make_unique<Engine>(compile(*graph, {.threads = 1}));
  before = run_output(*engine, batch, x, kDim, {}, "mean");
  const Engine copy = *engine;
  graph.reset();
  engine.reset();
  EXPECT_TRUE(same_bits(run_output(copy, batch, x, kDim, {}, "mean"), before));
}

}  // namespace
}  // namespace headway
