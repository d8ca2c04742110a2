// The kernel of gated linear units against its oracle, within its arrays.
#include "engine/kernels/gate.hpp"

#include "engine/kernels/epilogue.hpp"
#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

constexpr size_t kRows = 3;

TEST(Gate, is_the_activation_times_the_other_half) {
  on_each_target([] {
    for (const size_t width : {1, 3, 4, 7, 8, 15, 16, 17, 31, 33, 100}) {
      const std::vector<float> x = normal_values(kRows * 2 * width, 0, 3);
      std::vector<float> y(kRows * width, kNaN);
      gate(x.data(), kRows, width, Activation::silu, y.data());
      for (size_t i = 0; i < y.size(); ++i) {
        const float* row = x.data() + i / width * 2 * width;
        const double a = row[i % width], b = row[width + i % width];
        ASSERT_NEAR(y[i], reference::silu(a) * b,
                    2e-7 * std::max(1.0, std::abs(a)) * std::max(1.0, std::abs(b)))
            << width << ' ' << i;
      }
    }
  });
}

// One rounding after the activation, whatever the row's width: the bits of the two steps.
TEST(Gate, has_the_bits_of_its_steps_and_keeps_to_its_arrays) {
  on_each_target([] {
    for (const Activation activation :
         {Activation::none, Activation::gelu_erf, Activation::gelu_tanh, Activation::relu,
          Activation::tanh, Activation::silu}) {
      for (const size_t width : sizes()) {
        const std::vector<float> x = normal_values(kRows * 2 * width, 0, 2);
        std::vector<float> expected(kRows * width);
        for (size_t i = 0; i < expected.size(); ++i) {
          const float* row = x.data() + i / width * 2 * width;
          epilogue({.product = row + i % width,
                    .y = &expected[i],
                    .rows = 1,
                    .width = 1,
                    .activation = activation});
          expected[i] *= row[width + i % width];
        }
        for (const Guard guard : kGuards) {
          Guarded in(x, guard), out(std::vector<float>(kRows * width, -1), guard);
          gate(in.data(), kRows, width, activation, out.data());
          ASSERT_TRUE(same_bits(in.values(), x)) << width;
          ASSERT_TRUE(same_bits(out.values(), expected)) << width;
        }
      }
    }
  });
}

}  // namespace
}  // namespace headway::test
