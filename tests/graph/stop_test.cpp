// How soon a run ends that is told to: within a piece of work, also in the middle of one long
// sequence.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "headway/attention.hpp"
#include "headway/engine.hpp"
#include "headway/layers.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/random.hpp"

namespace headway {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Seconds that `call` takes, and those it still takes once its token is asked to stop in a third of
// that time.
template <typename Call>
void expect_soon(const Call& call) {
  call({});
  Clock::time_point begin = Clock::now();
  call({});
  const double whole = seconds_since(begin);
  std::vector<double> late;
  for (int i = 0; i < 3; ++i) {
    std::stop_source source;
    begin = Clock::now();
    Clock::time_point requested;
    std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::duration<double>(whole / 3));
      requested = Clock::now();
      source.request_stop();
    });
    expect_error(ErrorCode::cancelled, "the call was cancelled", [&] { call(source.get_token()); });
    const Clock::time_point end = Clock::now();
    stopper.join();
    late.push_back(std::chrono::duration<double>(end - requested).count());
  }
  // The middle one: this machine may have other things to do. A step is all but a few percent of
  // the call, so a call that looked only between steps would be late by half of it.
  std::sort(late.begin(), late.end());
  EXPECT_LT(late[1], whole / 5) << "of " << whole << " s";
}

constexpr int64_t kTokens = 5000, kWidth = 256, kHeads = 8;

TEST(Stop, ReachesInsideAttentionOfOneSequence) {
  Random random(1);
  const LinearNumbers qkv(random, kWidth, 3 * kWidth), out(random, kWidth, kWidth);
  Graph graph;
  graph.output("y", multi_head(graph, graph.input("x", DType::f32, kWidth),
                               {{qkv.weights()}, out.weights()}, {.heads = kHeads})
                        .output);
  const Batch batch = Batch::dense(1, kTokens);
  const std::vector<float> x = random.normals(kTokens * kWidth);
  std::vector<float> y(x.size());
  for (const int threads : {1, 2}) {
    const Engine engine = compile(graph, {.threads = threads});
    expect_soon([&](std::stop_token stop) {
      RunOptions options;
      options.stop = std::move(stop);
      engine.run({{"x", batch, {x.data(), {kTokens, kWidth}}}},
                 {{"y", {y.data(), {kTokens, kWidth}}}}, options);
    });
  }
}

TEST(Stop, ReachesInsideAttentionAsAFunction) {
  const std::array<int64_t, 4> shape{1, kHeads, kTokens, kWidth / kHeads};
  const std::vector<float> x = Random(2).normals(kTokens * kWidth);
  std::vector<float> y(x.size());
  const StridedView in = StridedView::dense(x.data(), shape);
  for (const int threads : {1, 2}) {
    expect_soon([&](std::stop_token stop) {
      AttentionOptions options;
      options.threads = threads;
      options.stop = std::move(stop);
      attention(in, in, in, MutableStridedView::dense(y.data(), shape), options);
    });
  }
}

// What has been asked to stop before does not begin.
TEST(Stop, BeforeTheCall) {
  std::stop_source source;
  source.request_stop();
  AttentionOptions options;
  options.stop = source.get_token();
  std::vector<float> x(4, 1.0f), y(4, -1.0f);
  const StridedView in = StridedView::dense(x.data(), {1, 1, 1, 4});
  expect_error(ErrorCode::cancelled, "the call was cancelled", [&] {
    attention(in, in, in, MutableStridedView::dense(y.data(), {1, 1, 1, 4}), options);
  });
  EXPECT_EQ(y, std::vector<float>(4, -1.0f));
}

}  // namespace
}  // namespace headway
