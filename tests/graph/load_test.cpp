// What 16 callers do to one engine and to several: same bits, no more threads or memory than they
// have, and memory that goes when it is asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "engine/ops/precision.hpp"
#include "engine/platform/cpu.hpp"
#include "tests/graph/small_graph.hpp"
#include "tests/support/probe_layer.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

using namespace std::chrono_literals;

constexpr int64_t kDim = SmallBlock::kDim;
constexpr int kCallers = 16;

RunOptions in_mode(Mode mode) {
  RunOptions options;
  options.mode = mode;
  return options;
}

Mode mode(int i) {
  constexpr std::array<Mode, 3> kModes{Mode::automatic, Mode::across, Mode::inside};
  return kModes[static_cast<size_t>(i) % kModes.size()];
}

// body(caller) on 16 threads at once; how many of them threw.
template <typename Body>
int on_sixteen_threads(const Body& body) {
  std::atomic<int> threw{0};
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&, caller] {
      try {
        body(caller);
      } catch (const std::exception&) {
        ++threw;
      }
    });
  }
  callers.clear();
  return threw;
}

// A batch of its own, and what one caller alone gets for it.
struct Work {
  Work(const Engine& engine, uint32_t seed) {
    Random random(seed);
    batch = Batch::ragged(std::vector<int64_t>{random.below(90), 3, 0, random.below(400)});
    x = random.normals(batch.rows() * kDim);
    expected = run(engine);
  }
  std::vector<float> run(const Engine& engine, const RunOptions& options = {}) const {
    return run_output(engine, batch, x, kDim, options, "hidden");
  }

  Batch batch;
  std::vector<float> x, expected;
};

TEST(Load, SixteenCallersGetTheBitsOfOne) {
  const SmallBlock block{};
  for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
    if (!is_fast(precision)) continue;  // compile() refuses it
    for (const int threads : {1, 2, 5}) {
      const Engine engine = compile(block.graph(), {.threads = threads}, {.precision = precision});
      std::vector<Work> work;
      for (uint32_t i = 0; i < kCallers; ++i) work.emplace_back(engine, i);
      std::atomic<int> wrong{0};
      EXPECT_EQ(on_sixteen_threads([&](int caller) {
                  for (int i = 0; i < 12; ++i) {
                    const Work& mine = work[static_cast<size_t>(caller + i) % kCallers];
                    wrong += !same_bits(mine.run(engine, in_mode(mode(i))), mine.expected);
                  }
                }),
                0);
      EXPECT_EQ(wrong, 0) << to_string(precision) << ", " << threads << " threads";
    }
  }
}

TEST(Load, MemoryStaysUnderItsCapAndGoesWhenAskedFor) {
  const SmallBlock block{};
  for (const int threads : {1, 3}) {
    const Engine measured = compile(block.graph(), {.threads = threads});
    const size_t one = measured.planned_memory(Batch::dense(1, 400));
    const size_t cap = (2 * one) * static_cast<size_t>(threads);
    const Engine engine = compile(block.graph(), {.threads = threads, .memory = cap});
    std::vector<Work> work;
    for (uint32_t i = 0; i < kCallers; ++i) work.emplace_back(measured, i);
    std::atomic<bool> done{false};
    std::atomic<int> wrong{0}, trims{0};
    std::atomic<size_t> most{0};
    {
      std::jthread trimmer([&] {
        while (!done) {
          most = std::max<size_t>(most, engine.info().memory_in_use);
          engine.trim();
          ++trims;
          std::this_thread::sleep_for(1ms);
        }
      });
      EXPECT_EQ(on_sixteen_threads([&](int caller) {
                  for (int i = 0; i < 20; ++i) {
                    const Work& mine = work[static_cast<size_t>(caller + i) % kCallers];
                    wrong += !same_bits(mine.run(engine, in_mode(mode(i))), mine.expected);
                  }
                }),
                0);
      done = true;
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(trims, 1);
    EXPECT_LE(most, cap);
    EXPECT_LE(engine.info().peak_memory, cap);
    // The controls: it had taken memory, and what came after the last trim is there.
    EXPECT_GT(engine.info().peak_memory, 0u);
    work[0].run(engine);
    EXPECT_GT(engine.info().memory_in_use, 0u);
    engine.trim();
    EXPECT_EQ(engine.info().memory_in_use, 0u);
    EXPECT_TRUE(same_bits(work[0].run(engine), work[0].expected));
  }
}

TEST(Load, CopiesMayGoWhileOthersRun) {
  const SmallBlock block{};
  for (int round = 0; round < 10; ++round) {
    auto engine = std::make_unique<Engine>(compile(block.graph(), {.threads = 2}));
    const Work work(*engine, 1);
    std::atomic<int> begun{0}, wrong{0};
    std::jthread owner([&] {
      while (begun < kCallers) std::this_thread::yield();
      engine.reset();
    });
    EXPECT_EQ(on_sixteen_threads([&](int) {
                const Engine own = *engine;
                ++begun;
                for (int i = 0; i < 3; ++i)
                  wrong += !same_bits(work.run(own, in_mode(mode(i))), work.expected);
              }),
              0);
    EXPECT_EQ(wrong, 0);
  }
}

// Threads inside the probes of all engines, now and at most; and of each engine.
struct Meter {
  void enter() {
    const int count = ++now;
    int seen = most;
    while (seen < count && !most.compare_exchange_weak(seen, count)) continue;
  }
  void leave() { --now; }

  std::atomic<int> now{0}, most{0};
};

class SeveralEngines : public testing::Test {
 protected:
  Engine probed(int threads, Meter& own) {
    Graph graph;
    const Value x = graph.input("x", DType::f32, kDim);
    const Value seen = probe(graph, x, [&](int64_t) {
      own.enter();
      all.enter();
      std::this_thread::sleep_for(300us);
      all.leave();
      own.leave();
    });
    graph.output("y", linear(graph, seen, block.out.weights()));
    return compile(graph, {.threads = threads});
  }
  static void run(const Engine& engine, const Batch& batch, const RunOptions& options = {}) {
    const std::vector<float> x(static_cast<size_t>(batch.rows() * kDim), 0.5f);
    run_output(engine, batch, x, kDim, options);
  }

  const SmallBlock block{};
  Meter all;
};

TEST_F(SeveralEngines, KeepTheirLimitsTogether) {
  std::array<Meter, 3> own;
  const std::vector<Engine> engines{probed(1, own[0]), probed(2, own[1]), probed(1, own[2])};
  std::array<std::atomic<int>, 3> runs{};
  const auto end = std::chrono::steady_clock::now() + 600ms;
  EXPECT_EQ(on_sixteen_threads([&](int caller) {
              const auto which = static_cast<size_t>(caller) % engines.size();
              for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
                run(engines[which], Batch::dense(4, 150), in_mode(mode(i)));
                ++runs[which];
              }
            }),
            0);
  EXPECT_LE(own[0].most, 1);
  EXPECT_LE(own[1].most, 2);
  EXPECT_LE(own[2].most, 1);
  EXPECT_LE(all.most, 4);
  // The control: they do compute at the same time.
  EXPECT_GE(all.most, 2);
  // Alike, but that the second has two threads.
  EXPECT_GE(4 * runs[0], runs[2].load());
  EXPECT_GE(4 * runs[2], runs[0].load());
  EXPECT_GE(4 * runs[1], runs[0].load());
}

// A run that has all cores gives them up when another engine's callers come.
TEST_F(SeveralEngines, GiveUpCoresThatOthersCallersNeed) {
  const int cores = std::max(default_threads(), 2);  // with one core an engine may still have two
  Meter first, second;
  const Engine large = probed(cores, first), small = probed(1, second);
  std::atomic<bool> ended{false};
  std::jthread big([&] {
    run(large, Batch::dense(1200, 130), in_mode(Mode::across));
    ended = true;
  });
  while (first.most < cores) std::this_thread::yield();
  int crowded = 0, calls = 0;
  std::jthread other([&] {
    do run(small, Batch::dense(40, 1));
    while (!ended);
  });
  while (second.most == 0) std::this_thread::yield();
  std::this_thread::sleep_for(20ms);  // as long as a group takes
  for (; !ended; ++calls, std::this_thread::sleep_for(1ms)) crowded += all.now > cores;
  EXPECT_GT(calls, 10);
  // Between two calls of the other engine a core is free, and taken again for one group.
  EXPECT_LT(crowded, calls / 2);
}

}  // namespace
}  // namespace headway
