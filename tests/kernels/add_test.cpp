// The addition kernel: exact, within its arrays, in place.
#include "engine/kernels/add.hpp"

#include <deque>

#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

TEST(Add, is_exact_and_keeps_to_its_arrays) {
  on_each_target([] {
    for (const size_t n : sizes()) {
      for (const size_t count : {1, 2, 3, 5}) {
        std::vector<std::vector<float>> terms;
        std::vector<float> expected = normal_values(n);
        terms.push_back(expected);
        for (size_t term = 1; term < count; ++term) {
          terms.push_back(normal_values(n, 0, 1, static_cast<uint32_t>(term) + 1));
          for (size_t i = 0; i < n; ++i) expected[i] += terms[term][i];  // in this order
        }
        for (const Guard guard : kGuards) {
          std::deque<Guarded> guarded;
          std::vector<const float*> from;
          for (const std::vector<float>& term : terms)
            from.push_back(guarded.emplace_back(term, guard).data());
          Guarded out(std::vector<float>(n, -1), guard);
          add(from, n, out.data());
          ASSERT_TRUE(same_bits(out.values(), expected)) << count << " terms of " << n;
          for (size_t term = 0; term < count; ++term)
            ASSERT_TRUE(same_bits(guarded[term].values(), terms[term])) << count << " of " << n;
          for (size_t term = 0; term < count; ++term) {
            add(from, n, guarded[term].data());
            ASSERT_TRUE(same_bits(guarded[term].values(), expected)) << "in place of " << term;
            std::copy(terms[term].begin(), terms[term].end(), guarded[term].data());
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace headway::test
