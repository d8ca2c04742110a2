// Packed weights: written once, then protected.
#include "engine/runtime/read_only_block.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdint>
#include <cstring>

#include "tests/runtime/child.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

// What becomes of a child that writes to `at`; sanitizers must not catch the signal.
int status_of_writing(const volatile std::byte* at) {
  return status_of_child([at] {
    signal(SIGSEGV, SIG_DFL);
    *const_cast<volatile std::byte*>(at) = std::byte{1};
    return 0;
  });
}

TEST(ReadOnlyBlock, is_aligned_zeroed_and_writable_until_sealed) {
  ReadOnlyBlock block(10000);
  EXPECT_EQ(block.size(), 10000u);
  EXPECT_EQ(block.data(), block.writable());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data()) % 64, 0u);
  for (size_t i = 0; i < block.size(); ++i) ASSERT_EQ(block.data()[i], std::byte{0}) << i;
  EXPECT_TRUE(exited_with(status_of_writing(block.data() + 9999), 0));
  std::memset(block.writable(), 5, 10000);

  block.seal();
  EXPECT_EQ(block.data()[9999], std::byte{5});
  for (const size_t at : {size_t{0}, size_t{4096}, size_t{9999}}) {
    const int status = status_of_writing(block.data() + at);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << "status " << status;
  }
}

TEST(ReadOnlyBlock, may_be_empty) {
  ReadOnlyBlock block(0);
  block.seal();
  EXPECT_EQ(block.size(), 0u);
}

TEST(ReadOnlyBlock, refuses_what_the_system_has_not) {
  expect_error(ErrorCode::limit, "the system has no 4611686018427387904 bytes for packed weights",
               [] { ReadOnlyBlock block(size_t{1} << 62); });
}

}  // namespace
}  // namespace headway
