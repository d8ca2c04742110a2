// The addition kernel: exact, within its arrays, in place.
#include "engine/kernels/add.hpp"

#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

TEST(Add, is_exact_and_keeps_to_its_arrays) {
  on_each_target([] {
    for (const size_t n : sizes()) {
      const std::vector<float> a = normal_values(n, 0, 1, 1), b = normal_values(n, 0, 1, 2);
      std::vector<float> expected(n);
      for (size_t i = 0; i < n; ++i) expected[i] = a[i] + b[i];
      for (const Guard guard : kGuards) {
        Guarded left(a, guard), right(b, guard), out(std::vector<float>(n, -1), guard);
        add(left.data(), right.data(), n, out.data());
        ASSERT_TRUE(same_bits(out.values(), expected)) << n;
        ASSERT_TRUE(same_bits(left.values(), a) && same_bits(right.values(), b)) << n;
        add(left.data(), right.data(), n, right.data());
        ASSERT_TRUE(same_bits(right.values(), expected)) << n;
        Guarded again(b, guard);
        add(left.data(), again.data(), n, left.data());
        ASSERT_TRUE(same_bits(left.values(), expected)) << n;
      }
    }
  });
}

}  // namespace
}  // namespace headway::test
