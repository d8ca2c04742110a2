// Denormal numbers vanish inside FlushDenormals and are back after it.
#include "engine/platform/denormals.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

namespace headway {
namespace {

#if defined(__SSE__) || defined(__aarch64__)
// Through volatile, so that the processor computes and not the compiler.
float product(float a, float b) {
  volatile float x = a;
  volatile float y = b;
  volatile float result = x * y;
  return result;
}

constexpr float kSmall = std::numeric_limits<float>::min();  // smallest normal
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();

TEST(FlushDenormals, FlushesResultsAndInputs) {
  ASSERT_GT(product(kSmall, 0.5f), 0.0f);
  ASSERT_GT(product(kDenormal, 1e30f), 0.0f);
  {
    const FlushDenormals flush;
    EXPECT_EQ(product(kSmall, 0.5f), 0.0f);
    EXPECT_EQ(product(kDenormal, 1e30f), 0.0f);
    EXPECT_EQ(product(kSmall, 2.0f), 2 * kSmall);
  }
  EXPECT_GT(product(kSmall, 0.5f), 0.0f);
  EXPECT_GT(product(kDenormal, 1e30f), 0.0f);
}

TEST(FlushDenormals, NestsAndBelongsToItsThread) {
  const FlushDenormals outer;
  { const FlushDenormals inner; }
  EXPECT_EQ(product(kSmall, 0.5f), 0.0f);
  // A new thread inherits its maker's state on Linux: the guard there must restore that state.
  std::thread([] {
    const float before = product(kSmall, 0.5f);
    { const FlushDenormals inner; }
    EXPECT_EQ(product(kSmall, 0.5f), before);
  }).join();
  EXPECT_EQ(product(kSmall, 0.5f), 0.0f);
}
#endif

}  // namespace
}  // namespace headway
