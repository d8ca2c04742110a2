// Rotary position embedding on every target against its formula.
#include "engine/kernels/rotary.hpp"

#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

TEST(Rotary, turns_pairs_and_leaves_the_rest) {
  on_each_target([] {
    for (const size_t size : {2, 3, 8, 20, 32, 64, 70, 128}) {
      for (const size_t dims : {size_t{2}, size / 4 * 2, size / 2 * 2}) {
        if (dims == 0) continue;
        for (const bool interleaved : {false, true}) {
          SCOPED_TRACE(testing::Message() << size << ' ' << dims << ' ' << interleaved);
          const size_t heads = 3, half = dims / 2;
          const std::vector<float> x = normal_values(heads * size),
                                   table = normal_values(dims, 0, 1, 7);
          std::vector<double> expected(x.begin(), x.end());
          for (size_t head = 0; head < heads; ++head) {
            for (size_t p = 0; p < half; ++p) {
              const size_t a = head * size + (interleaved ? 2 * p : p);
              const size_t b = head * size + (interleaved ? 2 * p + 1 : half + p);
              const double cos{table[p]}, sin{table[half + p]};
              expected[a] = double{x[a]} * cos - double{x[b]} * sin;
              expected[b] = double{x[b]} * cos + double{x[a]} * sin;
            }
          }
          for (const Guard guard : kGuards) {
            Guarded from(x, guard), angles(table, guard), to(std::vector<float>(x.size()), guard);
            rotate_heads(from.data(), angles.data(), heads, size, dims, interleaved, to.data());
            for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(to.data()[i], expected[i], 2e-6) << i;
            rotate_heads(from.data(), angles.data(), heads, size, dims, interleaved, from.data());
            EXPECT_TRUE(same_bits(from.values(), to.values())) << "in place";
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace headway::test
