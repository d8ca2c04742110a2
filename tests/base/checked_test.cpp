// Size arithmetic at its edges, against 128-bit arithmetic.
#include "engine/base/checked.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

using Wide = __int128;

template <typename T>
std::vector<T> edges() {
  constexpr T kMin = std::numeric_limits<T>::min();
  constexpr T kMax = std::numeric_limits<T>::max();
  // Around the square root and the half too, where products and sums begin to overflow.
  constexpr T kRoot = T{1} << (sizeof(T) * 4);
  std::vector<T> values;
  for (T base : {T{0}, kRoot, static_cast<T>(kMax / 2), kMax, kMin})
    for (int step = -2; step <= 2; ++step)
      values.push_back(static_cast<T>(static_cast<std::make_unsigned_t<T>>(base) + step));
  return values;
}

// The exact result, or an Error(limit) with `what` when T cannot hold it.
template <typename T, typename Action>
void expect_exact(Wide exact, Action&& action) {
  const bool fits =
      exact >= std::numeric_limits<T>::min() && exact <= Wide{std::numeric_limits<T>::max()};
  if (fits) {
    EXPECT_EQ(Wide{action()}, exact);
  } else {
    expect_error(ErrorCode::limit, "the arena: ", action);
  }
}

template <typename T>
class Checked : public testing::Test {};
using Types = testing::Types<int32_t, int64_t, uint32_t, size_t>;
TYPED_TEST_SUITE(Checked, Types);

TYPED_TEST(Checked, SumsAndProductsAreExactOrRefused) {
  for (TypeParam a : edges<TypeParam>()) {
    for (TypeParam b : edges<TypeParam>()) {
      SCOPED_TRACE(cat(a, " and ", b));
      expect_exact<TypeParam>(Wide{a} + Wide{b}, [&] { return checked_add(a, b, "the arena"); });
      // Two of 64 bits unsigned may exceed even 128 bits signed.
      Wide product;
      if (__builtin_mul_overflow(Wide{a}, Wide{b}, &product))
        product = std::numeric_limits<Wide>::max();
      expect_exact<TypeParam>(product, [&] { return checked_mul(a, b, "the arena"); });
    }
  }
}

TYPED_TEST(Checked, CastsAreExactOrRefused) {
  for (TypeParam value : edges<TypeParam>()) {
    SCOPED_TRACE(cat(value));
    expect_exact<int32_t>(value, [&] { return checked_cast<int32_t>(value, "the arena"); });
    expect_exact<int64_t>(value, [&] { return checked_cast<int64_t>(value, "the arena"); });
    expect_exact<size_t>(value, [&] { return checked_cast<size_t>(value, "the arena"); });
    expect_exact<uint16_t>(value, [&] { return checked_cast<uint16_t>(value, "the arena"); });
  }
}

TEST(CheckedRoundUp, GoesToTheNextMultiple) {
  EXPECT_EQ(checked_round_up<size_t>(0, 64, "bytes"), 0u);
  EXPECT_EQ(checked_round_up<size_t>(1, 64, "bytes"), 64u);
  EXPECT_EQ(checked_round_up<size_t>(64, 64, "bytes"), 64u);
  EXPECT_EQ(checked_round_up<size_t>(65, 64, "bytes"), 128u);
  EXPECT_EQ(checked_round_up<int64_t>(7, 3, "rows"), 9);
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  EXPECT_EQ(checked_round_up<size_t>(kMax - 63, 64, "bytes"), kMax - 63);
  expect_error(ErrorCode::limit, "bytes: ", [] { checked_round_up<size_t>(kMax, 64, "bytes"); });
}

TEST(CheckedMessages, NameTheNumbers) {
  expect_error(ErrorCode::limit, "rows: 2147483647 + 1 overflows",
               [] { checked_add<int32_t>(2147483647, 1, "rows"); });
  expect_error(ErrorCode::limit, "rows: 65536 * 65536 overflows",
               [] { checked_mul<int32_t>(65536, 65536, "rows"); });
  expect_error(ErrorCode::limit, "rows: -1 is out of range",
               [] { checked_cast<size_t>(-1, "rows"); });
}

}  // namespace
}  // namespace headway
