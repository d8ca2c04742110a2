// Working memory: aligned, zeroed, grown, given back and counted.
#include "engine/runtime/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

bool is_mapped(std::byte* page) {
  unsigned char resident = 0;
  return mincore(page, 4096, &resident) == 0 || errno != ENOMEM;
}

TEST(Arena, gives_aligned_zeroed_memory) {
  for (const size_t bytes : {size_t{1}, size_t{64}, size_t{4096}, size_t{4097}, size_t{3} << 20}) {
    MemoryMeter meter;
    Arena arena(meter);
    std::byte* data = arena.reserve(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % Arena::kAlignment, 0u);
    EXPECT_TRUE(std::all_of(data, data + bytes, [](std::byte b) { return b == std::byte{0}; }));
    std::memset(data, 0xff, bytes);  // all of it is ours
    EXPECT_GE(meter.in_use(), bytes);
    EXPECT_LT(meter.in_use(), bytes + 4096);
  }
}

TEST(Arena, keeps_its_block_until_it_must_grow) {
  MemoryMeter meter;
  Arena arena(meter);
  std::byte* first = arena.reserve(10000);
  first[9999] = std::byte{7};
  EXPECT_EQ(arena.reserve(5), first);
  EXPECT_EQ(arena.reserve(10000), first);
  EXPECT_EQ(first[9999], std::byte{7});
  const size_t before = meter.in_use();

  std::byte* grown = arena.reserve(1 << 20);
  EXPECT_TRUE(std::all_of(grown, grown + (1 << 20), [](std::byte b) { return b == std::byte{0}; }));
  EXPECT_EQ(meter.in_use(), size_t{1} << 20);
  // The old block went first: never both at once.
  EXPECT_EQ(meter.peak(), size_t{1} << 20);
  EXPECT_LT(before, meter.in_use());
}

TEST(Arena, trim_gives_the_memory_back) {
  MemoryMeter meter;
  Arena arena(meter);
  arena.trim();  // nothing to give
  std::byte* data = arena.reserve(1 << 16);
  data[0] = std::byte{1};
  ASSERT_TRUE(is_mapped(data));
  arena.trim();
  EXPECT_FALSE(is_mapped(data));
  EXPECT_EQ(meter.in_use(), 0u);
  EXPECT_EQ(meter.peak(), size_t{1} << 16);
  EXPECT_EQ(arena.reserve(1)[0], std::byte{0});
}

TEST(Arena, ends_with_its_memory) {
  MemoryMeter meter;
  std::byte* data = nullptr;
  {
    Arena arena(meter);
    data = arena.reserve(1 << 16);
  }
  EXPECT_FALSE(is_mapped(data));
  EXPECT_EQ(meter.in_use(), 0u);
}

TEST(Arena, refuses_what_the_system_has_not) {
  MemoryMeter meter;
  Arena arena(meter);
  arena.reserve(100);
  expect_error(ErrorCode::limit, "working memory", [&] { arena.reserve(SIZE_MAX); });
  expect_error(ErrorCode::limit, "the system has no 4611686018427387904 bytes of working memory",
               [&] { arena.reserve(size_t{1} << 62); });
  // And can be used afterwards.
  EXPECT_EQ(meter.in_use(), 0u);
  EXPECT_NE(arena.reserve(100), nullptr);
}

TEST(MemoryMeter, keeps_the_peak_of_all_arenas) {
  MemoryMeter meter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      Arena arena(meter);
      for (int round = 0; round < 500; ++round) {
        arena.reserve(4096 * (1 + static_cast<size_t>(round) % 3));
        arena.trim();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(meter.in_use(), 0u);
  EXPECT_GE(meter.peak(), size_t{3} * 4096);
  EXPECT_LE(meter.peak(), size_t{4} * 3 * 4096);

  MemoryMeter other;
  Arena one(other), two(other);
  one.reserve(4096);
  two.reserve(8192);
  one.trim();
  two.trim();
  one.reserve(4096);
  EXPECT_EQ(other.in_use(), 4096u);
  EXPECT_EQ(other.peak(), 12288u);
}

}  // namespace
}  // namespace headway
