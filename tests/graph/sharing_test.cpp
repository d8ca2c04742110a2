// How runs of one engine share its threads: never more than it has, in fair shares, and none idle
// while there is work.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <mutex>
#include <set>
#include <thread>

#include "tests/graph/small_graph.hpp"
#include "tests/support/probe_layer.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

using namespace std::chrono_literals;

constexpr int64_t kDim = SmallBlock::kDim;
constexpr Mode kModes[] = {Mode::automatic, Mode::across, Mode::inside};

class Sharing : public testing::Test {
 protected:
  // y = x W^T + b of probed rows.
  Engine probed(int threads, std::function<void(int64_t)> body) const {
    Graph graph;
    const Value x = graph.input("x", DType::f32, kDim);
    graph.output("y", linear(graph, probe(graph, x, std::move(body)), block.out.weights()));
    return compile(graph, {.threads = threads});
  }
  static std::vector<float> run(const Engine& engine, const Batch& batch,
                                const RunOptions& options = {}) {
    const std::vector<float> x(static_cast<size_t>(batch.rows() * kDim), 0.5f);
    return run_output(engine, batch, x, kDim, options);
  }
  static RunOptions in_mode(Mode mode) {
    RunOptions options;
    options.mode = mode;
    return options;
  }

  const SmallBlock block{};
  const Batch tiny = Batch::dense(3, 2);
  const Batch small = Batch::dense(4, 200);
  const Batch large = Batch::dense(60, 300);
};

// Threads inside the probe, now and at most.
struct Busy {
  std::atomic<int> now{0}, most{0};

  void work() {
    const int count = ++now;
    int seen = most;
    while (seen < count && !most.compare_exchange_weak(seen, count)) continue;
    std::this_thread::sleep_for(200us);
    --now;
  }
};

TEST_F(Sharing, NeverMoreThreadsAreBusyThanTheEngineHas) {
  for (const int threads : {1, 2, 3})
    for (const int callers : {2, 3, 5, 8}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, " << callers << " callers");
      Busy busy;
      const Engine engine = probed(threads, [&](int64_t) { busy.work(); });
      const std::vector<float> expected = run(engine, small);
      std::atomic<int> wrong{0};
      {
        std::vector<std::jthread> all;
        for (int caller = 0; caller < callers; ++caller) {
          all.emplace_back([&, caller] {
            for (int i = 0; i < 12; ++i) {
              const RunOptions options = in_mode(kModes[(i + caller) % 3]);
              wrong += !same_bits(run(engine, small, options), expected);
            }
          });
        }
      }
      EXPECT_EQ(wrong, 0);
      EXPECT_LE(busy.most, threads);
      // The control: they do work at the same time.
      EXPECT_EQ(busy.most, threads);
    }
}

// A run that has work for one thread leaves the others' slots alone.
TEST_F(Sharing, SmallRunsOfTwoCallersDoNotWaitForEachOther) {
  for (const Mode mode : {Mode::automatic, Mode::across}) {
    std::latch both(2);
    std::atomic<bool> together{false};
    const Engine engine = probed(2, [&](int64_t sequence) {
      if (sequence == 0 && together) both.arrive_and_wait();
    });
    RunOptions options = in_mode(mode);
    options.wait = false;
    // One sequence is all that across can hand out; three of two rows are not worth two threads.
    const Batch& batch = mode == Mode::across ? Batch::dense(1, 400) : tiny;
    const std::vector<float> expected = run(engine, batch, options);
    together = true;
    std::vector<float> results[2];
    {
      std::jthread other([&] { results[0] = run(engine, batch, options); });
      results[1] = run(engine, batch, options);
    }
    EXPECT_TRUE(same_bits(results[0], expected));
    EXPECT_TRUE(same_bits(results[1], expected));
  }
}

// As many callers as threads, and more: each gets on.
TEST_F(Sharing, CallersProgressAlike) {
  for (const Mode mode : kModes)
    for (const int callers : {2, 3, 6}) {
      SCOPED_TRACE(testing::Message() << "mode " << static_cast<int>(mode) << ", " << callers);
      const Engine engine = probed(2, [&](int64_t) { std::this_thread::sleep_for(100us); });
      std::vector<std::atomic<int>> runs(static_cast<size_t>(callers));
      std::latch start(callers);
      std::atomic<bool> done{false};
      {
        std::vector<std::jthread> all;
        for (int caller = 0; caller < callers; ++caller) {
          all.emplace_back([&, caller] {
            start.arrive_and_wait();
            while (!done) {
              run(engine, small, in_mode(mode));
              ++runs[static_cast<size_t>(caller)];
            }
          });
        }
        std::this_thread::sleep_for(200ms);
        done = true;
      }
      const auto [least, most] = std::minmax_element(runs.begin(), runs.end());
      EXPECT_GE(3 * *least, most->load());
      EXPECT_GT(*least, 3);
    }
}

// Two callers, both of whom could use two threads: each stays on its own.
TEST_F(Sharing, AsManyCallersAsThreadsComputeOnTheirOwnThread) {
  std::mutex mutex;
  std::set<std::thread::id> callers;
  std::atomic<int> own{0}, foreign{0};
  const Engine engine = probed(2, [&](int64_t) {
    std::this_thread::sleep_for(100us);
    std::lock_guard lock(mutex);
    ++(callers.contains(std::this_thread::get_id()) ? own : foreign);
  });
  std::atomic<bool> done{false};
  const auto call = [&] {
    {
      std::lock_guard lock(mutex);
      callers.insert(std::this_thread::get_id());
    }
    while (!done) run(engine, small, in_mode(Mode::inside));
  };
  {
    std::jthread first(call), second(call);
    std::this_thread::sleep_for(300ms);
    done = true;
  }
  // Until they meet, one of them has both.
  EXPECT_GT(own, 10 * foreign);
}

TEST_F(Sharing, ALargeRunLetsANewcomerIn) {
  for (const Mode mode : {Mode::across, Mode::inside}) {
    std::atomic<int> begun{0};
    std::atomic<bool> slow{false};
    const Engine engine = probed(2, [&](int64_t) {
      ++begun;
      begun.notify_all();
      if (slow) std::this_thread::sleep_for(2ms);
    });
    const std::vector<float> expected = run(engine, large);
    slow = true;
    begun = 0;
    std::atomic<bool> ended{false};
    std::vector<float> result;
    std::jthread big([&] {
      result = run(engine, large, in_mode(mode));
      ended = true;
    });
    while (begun < 2) std::this_thread::yield();
    run(engine, tiny);
    EXPECT_FALSE(ended) << "mode " << static_cast<int>(mode);
    big.join();
    EXPECT_TRUE(same_bits(result, expected));
  }
}

// What comes free while a run is under way does not idle.
TEST_F(Sharing, ARunGetsTheThreadsThatOthersLeave) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<std::thread::id> holder_id;
  std::atomic<bool> held{true};
  const Engine engine = probed(2, [&](int64_t) {
    std::thread::id nobody;
    if (holder_id.compare_exchange_strong(nobody, std::this_thread::get_id())) held.wait(true);
    if (holder_id.load() == std::this_thread::get_id()) return;
    std::this_thread::sleep_for(1ms);
    std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
    held = false;
    held.notify_all();
  });
  std::jthread holder([&] { run(engine, tiny); });
  while (holder_id.load() == std::thread::id()) std::this_thread::yield();
  run(engine, large, in_mode(Mode::across));
  holder.join();
  EXPECT_EQ(threads.size(), 2u);
}

}  // namespace
}  // namespace headway
