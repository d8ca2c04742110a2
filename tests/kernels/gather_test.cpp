// The table lookup kernel: copies the right rows and touches no others.
#include "engine/kernels/gather.hpp"

#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

TEST(GatherRows, copies_rows_and_keeps_to_its_arrays) {
  for (const size_t width : {1, 2, 7, 16, 17, 64, 100, 384}) {
    const std::vector<float> table = normal_values(5 * width);
    const std::vector<int32_t> ids = {4, 0, 0, 3, 1, 4, 2};
    std::vector<float> expected;
    for (const int32_t id : ids) {
      const auto row = table.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(id) * width);
      expected.insert(expected.end(), row, row + static_cast<ptrdiff_t>(width));
    }
    for (const Guard guard : kGuards) {
      Guarded from(table, guard), to(std::vector<float>(expected.size(), -1), guard);
      gather_rows(from.data(), width, ids.data(), ids.size(), to.data());
      ASSERT_TRUE(same_bits(to.values(), expected)) << width;
    }
  }
}

TEST(GatherRows, of_nothing_does_nothing) {
  float y = 7;
  gather_rows(nullptr, 3, nullptr, 0, &y);
  const int32_t id = 2;
  gather_rows(nullptr, 0, &id, 1, &y);
  EXPECT_EQ(y, 7);
}

TEST(GatherRows, reaches_rows_beyond_2_to_the_31_values) {
  // 12 GB of address space; only the page that is read gets memory.
  const size_t width = 2048, rows = 1'500'000;
  void* mapped = mmap(nullptr, rows * width * sizeof(float), PROT_READ,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  float* table = static_cast<float*>(mapped);
  float* last = table + (rows - 1) * width;  // 8192 bytes a row: page-aligned
  ASSERT_EQ(mprotect(last, width * sizeof(float), PROT_READ | PROT_WRITE), 0);
  last[0] = 1;
  last[width - 1] = 2;
  const int32_t id = rows - 1;
  std::vector<float> y(width);
  gather_rows(table, width, &id, 1, y.data());
  EXPECT_EQ(y.front(), 1);
  EXPECT_EQ(y.back(), 2);
  munmap(mapped, rows * width * sizeof(float));
}

}  // namespace
}  // namespace headway::test
