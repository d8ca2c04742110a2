// Denormal numbers slow nothing down, and a run leaves the caller's floating-point state alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <tuple>
#include <vector>

#include "engine/base/message.hpp"
#include "engine/platform/denormals.hpp"
#include "headway/engine.hpp"
#include "headway/error.hpp"
#include "headway/layers.hpp"
#include "tests/support/probe_layer.hpp"
#include "tests/support/random.hpp"

namespace headway {
namespace {

// Times the time of normal numbers.
constexpr double kBar = 1.1;

constexpr int64_t kDim = 128, kInner = 512, kTokens = 64, kSequences = 6;

// An encoder layer over rows of numbers, with `first` called before it on each thread that runs it.
// No bias and no beta: denormal rows stay denormal from its begin to its end.
class Block {
 public:
  explicit Block(std::function<void()> first, int threads = 1) {
    const Value in = graph_.input("x", DType::f32, kDim);
    const Value x = probe(graph_, in, [first](int64_t) { first(); });
    const Value attended =
        multi_head(graph_, x, {{qkv_.weights()}, out_.weights()}, {.heads = 4}).output;
    const Value y = norm(add(graph_, attended, x));
    const Value inner = activation(graph_, linear(graph_, y, up_.weights()), Activation::gelu_erf);
    graph_.output("y", norm(add(graph_, linear(graph_, inner, down_.weights()), y)));
    engine_ = std::make_unique<Engine>(compile(graph_, {.threads = threads}));
  }

  void run(const std::vector<float>& x, const RunOptions& options = {}) {
    const Batch batch = Batch::dense(kSequences, kTokens);
    const Shape shape{kSequences, kTokens, kDim};
    engine_->run({{"x", batch, {x.data(), shape}}}, {{"y", {y_.data(), shape}}}, options);
  }

  const std::vector<float>& y() const { return y_; }

  // In seconds.
  double time(const std::vector<float>& x) {
    const auto begin = std::chrono::steady_clock::now();
    run(x);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  Value norm(Value x) {
    return layer_norm(graph_, x, TensorView(gamma_.data(), {kDim}), {}, 1e-5f);
  }

  Random random_{1};
  LinearNumbers qkv_{random_, kDim, 3 * kDim, false}, out_{random_, kDim, kDim, false};
  LinearNumbers up_{random_, kDim, kInner, false}, down_{random_, kInner, kDim, false};
  std::vector<float> gamma_ = random_.uniforms(kDim, 0.5f, 1.5f);
  std::vector<float> y_ = std::vector<float>(kSequences * kTokens * kDim);
  Graph graph_;
  std::unique_ptr<Engine> engine_;
};

std::vector<float> rows(float scale) {
  std::vector<float> x = Random(2).normals(kSequences * kTokens * kDim);
  for (float& value : x) value *= scale;
  return x;
}

// Of denormals, which a layer norm with epsilon 1e-5 makes at most 300 times larger.
std::vector<float> denormal_rows() {
  return rows(1e-41f);
}

// How many times longer `block` takes for `x` than for normal numbers: medians of runs in turn.
double slowdown(Block& block, const std::vector<float>& x) {
  constexpr int kRuns = 15;
  const std::vector<float> normal = rows(1);
  std::vector<double> fast, slow;
  for (int i = 0; i < kRuns; ++i) {
    fast.push_back(block.time(normal));
    slow.push_back(block.time(x));
  }
  const auto median = [](std::vector<double>& times) {
    std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
    return times[kRuns / 2];
  };
  return median(slow) / median(fast);
}

// The least of some: other programs slow down one side of one attempt, but hardly of all.
double least_slowdown(Block& block, const std::vector<float>& x, double enough) {
  block.run(x);  // makes products and slabs
  double least = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < 8 && least > enough; ++attempt)
    least = std::min(least, slowdown(block, x));
  return least;
}

void keep_denormals() {
  std::fesetenv(FE_DFL_ENV);
}

TEST(Denormals, SlowNothingDown) {
  Block block([] {});
  EXPECT_LE(least_slowdown(block, denormal_rows(), kBar), kBar);
  // Scores far apart: most attention weights underflow.
  EXPECT_LE(least_slowdown(block, rows(20), kBar), kBar);
}

// The control: with denormals kept, by a layer that undoes what the engine has set, these rows do
// meet denormals in every layer, as they reach the end; there they are zeros otherwise. That they
// are slow then is up to the CPU: Zen 4 takes 1.01 x the time, so nothing is demanded.
TEST(Denormals, OccurWhereTheyAreKept) {
  Block flushing([] {}), keeping(keep_denormals);
  const std::vector<float> x = denormal_rows();
  const auto zeros = [](const std::vector<float>& y) { return std::count(y.begin(), y.end(), 0); };
  flushing.run(x);
  EXPECT_EQ(zeros(flushing.y()), std::ssize(flushing.y()));
  keeping.run(x);
  EXPECT_EQ(zeros(keeping.y()), 0);
  const double kept = least_slowdown(keeping, x, 0);
  std::cout << "denormals kept: " << kept << " x the time of normal numbers"
            << (kept > kBar ? "" : ", so this CPU cannot show what flushing them is worth") << "\n";
}

// Whether this thread's arithmetic does; through volatile, so that the processor computes.
bool keeps_denormals() {
  volatile float smallest = std::numeric_limits<float>::min();
  volatile float half = smallest * 0.5f;
  return half > 0;
}

// What decides how this thread computes: the control word without its exception flags.
std::tuple<bool, int, int> control() {
  return {keeps_denormals(), std::fegetround(), fegetexcept()};
}

TEST(Denormals, VanishOnEveryThreadAndAreBackForTheCaller) {
  const std::vector<float> x = rows(1);
  for (const Mode mode : {Mode::across, Mode::inside}) {
    std::atomic<bool> kept{false}, failing{false};
    Block block(
        [&] {
          if (keeps_denormals()) kept = true;
          if (failing) fail(ErrorCode::internal, "as planned");
        },
        2);
    RunOptions options;
    options.mode = mode;
    const auto expect_back = [&] {
      const auto before = control();
      failing = false;
      block.run(x, options);
      EXPECT_EQ(control(), before);
      failing = true;
      EXPECT_THROW(block.run(x, options), Error);
      EXPECT_EQ(control(), before);
    };
    expect_back();
    ASSERT_TRUE(keeps_denormals());
    const FlushDenormals flush;  // a caller that flushes them itself
    expect_back();
    EXPECT_FALSE(keeps_denormals());
    EXPECT_FALSE(kept);
  }
}

}  // namespace
}  // namespace headway
