// Borrowed callables.
#include "engine/base/function_ref.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace headway {
namespace {

int twice(FunctionRef<int(int)> function) {
  return function(function(1));
}

TEST(FunctionRefs, CallWhatTheyBorrow) {
  int calls = 0;
  auto add_two = [&](int x) {
    ++calls;
    return x + 2;
  };
  EXPECT_EQ(twice(add_two), 5);
  EXPECT_EQ(calls, 2);
}

TEST(FunctionRefs, KeepTheStateOfTheOriginal) {
  auto count = [n = 0]() mutable { return ++n; };
  const FunctionRef<int()> reference(count);
  const FunctionRef<int()> copy = reference;
  reference();
  EXPECT_EQ(copy(), 2);
  EXPECT_EQ(count(), 3);
}

TEST(FunctionRefs, PassReferencesAndMoveOnlyArguments) {
  auto take = [](std::unique_ptr<int> pointer, int& out) { out = *pointer; };
  const FunctionRef<void(std::unique_ptr<int>, int&)> reference(take);
  int out = 0;
  reference(std::make_unique<int>(7), out);
  EXPECT_EQ(out, 7);
}

}  // namespace
}  // namespace headway
