// What a process with a loaded engine costs while it has nothing to do.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <thread>

#include "tests/graph/small_graph.hpp"
#include "tests/runtime/child.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Under 1 % of a core, from one second after the last run on: in a process of its own, whose other
// threads are the engine's alone.
TEST(Idle, ALoadedEngineCostsNothing) {
  const int status = status_of_child([] {
    const SmallBlock block{};
    const Engine engine = compile(block.graph(), {.threads = 4});
    const Batch batch = Batch::dense(40, 100);
    const std::vector<float> x(static_cast<size_t>(batch.rows() * SmallBlock::kDim), 0.5f);
    for (const Mode mode : {Mode::automatic, Mode::across, Mode::inside}) {
      RunOptions options;
      options.mode = mode;
      run_output(engine, batch, x, SmallBlock::kDim, options, "mean");
    }
    // The control: it has computed, on the processor time that is looked at.
    if (cpu_seconds() < 0.001) return 1;
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const double before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return cpu_seconds() - before < 0.01 ? 0 : 2;
  });
  EXPECT_TRUE(exited_with(status, 0)) << "status " << status;
}

}  // namespace
}  // namespace headway
