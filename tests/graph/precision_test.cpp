// Engines in bf16 and int8: near f32, smaller, and refused where the CPU gains nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/ops/precision.hpp"
#include "headway/engine.hpp"
#include "headway/layers.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/random.hpp"

namespace headway {
namespace {

constexpr int64_t kIn = 200, kOut = 300, kRows = 50;

class PrecisionTest : public testing::TestWithParam<Precision> {
 protected:
  PrecisionTest() {
    const Value input = graph.input("x", DType::f32, kIn);
    graph.output("y", linear(graph, input, numbers.weights()));
  }

  std::vector<float> run(const Engine& engine) const {
    std::vector<float> y(kRows * kOut);
    engine.run({{"x", Batch::dense(1, kRows), TensorView(x.data(), {kRows, kIn})}},
               {{"y", MutableTensorView(y.data(), {kRows, kOut})}});
    return y;
  }

  Random random{3};
  const LinearNumbers numbers{random, kIn, kOut};
  const std::vector<float> x = random.normals(kRows * kIn);
  Graph graph;
};

TEST_P(PrecisionTest, IsNearF32OrRefused) {
  const Precision precision = GetParam();
  if (!is_fast(precision)) {
    expect_error(
        ErrorCode::unsupported,
        std::string("precision ") + to_string(precision) + " is no faster than f32 without",
        [&] { compile(graph, {}, {.precision = precision}); });
    return;
  }
  const Engine exact = compile(graph), engine = compile(graph, {}, {.precision = precision});
  EXPECT_EQ(engine.info().precision, precision);
  EXPECT_EQ(exact.info().precision, Precision::f32);
  EXPECT_LT(static_cast<double>(engine.info().packed_weights),
            0.6 * static_cast<double>(exact.info().packed_weights));

  const std::vector<float> expected = run(exact), got = run(engine);
  double squares = 0, errors = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    squares += std::pow(expected[i], 2);
    errors += std::pow(got[i] - expected[i], 2);
  }
  const double error = std::sqrt(errors / squares);
  // Rounding is uniform within half a step of 2^-8 of a number (bf16); for int8 of 1/127 of the
  // largest weight of an output and of 1/255 of what a row spans.
  EXPECT_LT(error, precision == Precision::bf16 ? 0.004 : 0.02);
  EXPECT_GT(error, precision == Precision::bf16 ? 0.0005 : 0.002) << "computed in f32?";
}

TEST_P(PrecisionTest, KeepsNaNToItsRow) {
  if (!is_fast(GetParam())) return;  // refused, as above
  std::vector<float> with_nan = x;
  with_nan[7 * kIn + 3] = std::numeric_limits<float>::quiet_NaN();
  const Engine engine = compile(graph, {}, {.precision = GetParam()});
  const std::vector<float> clean = run(engine);
  std::vector<float> y(kRows * kOut);
  engine.run({{"x", Batch::dense(1, kRows), TensorView(with_nan.data(), {kRows, kIn})}},
             {{"y", MutableTensorView(y.data(), {kRows, kOut})}});
  for (int64_t i = 0; i < kRows * kOut; ++i) {
    if (i / kOut == 7) {
      EXPECT_TRUE(std::isnan(y[i]));
    } else {
      EXPECT_EQ(y[i], clean[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PrecisionTest, testing::Values(Precision::bf16, Precision::int8),
                         [](const auto& tested) { return to_string(tested.param); });

}  // namespace
}  // namespace headway
