// Holding the kernels to a target, and the control that the guard pages of these tests bite.
#include "engine/kernels/targets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "engine/kernels/add.hpp"
#include "engine/kernels/softmax.hpp"
#include "headway/error.hpp"
#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

bool supported(KernelIsa isa) {
  const std::vector<KernelIsa> isas = supported_kernel_isas();
  return std::find(isas.begin(), isas.end(), isa) != isas.end();
}

TEST(Targets, are_visited_once_each_best_first) {
  const std::string best = kernel_target();
  std::vector<std::string> names;
  for_each_target([&](const std::string& name) {
    EXPECT_EQ(kernel_target(), name);
    const float one = 1;
    float sum = 0;
    add(std::array<const float*, 2>{&one, &one}, 1, &sum);
    EXPECT_EQ(sum, 2);
    EXPECT_EQ(kernel_target(), name);
    names.push_back(name);
  });
  EXPECT_EQ(names.front(), best);
  EXPECT_EQ(kernel_target(), best);
  std::vector<std::string> unique = names;
  std::sort(unique.begin(), unique.end());
  EXPECT_EQ(std::unique(unique.begin(), unique.end()), unique.end());
  // AVX2, SSE4 and the fallback at least.
  EXPECT_GE(names.size(), supported(KernelIsa::avx2) ? 3u : 1u);
}

// Highway 1.0.3 chooses anew when it is asked what is supported: that must not undo the level.
TEST(Targets, asking_for_the_name_leaves_the_kernels_held) {
  std::vector<float> x(37);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  for (const KernelIsa isa : supported_kernel_isas()) {
    disable_kernel_targets_above(isa);
    std::vector<float> before = x, after = x;
    softmax(before.data(), before.size(), 0.3f);
    kernel_target();
    softmax(after.data(), after.size(), 0.3f);
    EXPECT_EQ(before, after);
  }
}

TEST(Targets, return_to_the_best_when_a_visit_throws) {
  const std::string best = kernel_target();
  EXPECT_THROW(for_each_target([&](const std::string& name) {
                 if (name != best) throw std::runtime_error(name);
               }),
               std::runtime_error);
  EXPECT_EQ(kernel_target(), best);
}

TEST(Targets, are_held_to_a_level) {
  const std::string best = kernel_target();
  const std::vector<KernelIsa> isas = supported_kernel_isas();
  for (const KernelIsa isa : {KernelIsa::sse4, KernelIsa::avx2, KernelIsa::avx512}) {
    if (!supported(isa)) {
      try {
        disable_kernel_targets_above(isa);
        ADD_FAILURE() << "no error for level " << static_cast<int>(isa);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::unsupported);
        EXPECT_NE(std::string(error.what()).find("kernels cannot be held to"), std::string::npos);
      }
      EXPECT_EQ(kernel_target(), best);
      continue;
    }
    disable_kernel_targets_above(isa);
    EXPECT_EQ(supported_kernel_isas(), isas);
    const std::string expected = isa == KernelIsa::sse4   ? "SSE4"
                                 : isa == KernelIsa::avx2 ? "AVX2"
                                                          : "AVX3";  // or AVX3_DL, ...
    EXPECT_EQ(kernel_target().substr(0, 4), expected);
    // A forced target stays within the level.
    for_each_target([&](const std::string& name) {
      EXPECT_FALSE(isa == KernelIsa::sse4 && name.substr(0, 3) == "AVX") << name;
    });
    disable_kernel_targets_above(isas.back());
    EXPECT_EQ(kernel_target(), best);
  }
}

TEST(GuardedDeathTest, dies_on_either_side) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Guarded array(std::vector<float>(5, 1), Guard::behind);
        volatile float value = *(array.data() + 5);
        (void)value;
      },
      "");
  EXPECT_DEATH(
      {
        Guarded array(std::vector<float>(5, 1), Guard::before);
        volatile float value = *(array.data() - 1);
        (void)value;
      },
      "");
}

}  // namespace
}  // namespace headway::test
