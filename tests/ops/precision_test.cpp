// Which precisions are refused, and with what words.
#include "engine/ops/precision.hpp"

#include "engine/platform/isa.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

bool refused(Precision precision, bool forced) {
  try {
    expect_usable(precision, forced);
    return false;
  } catch (const Error&) {
    return true;
  }
}

TEST(Precision, is_usable_unforced_exactly_where_it_is_fast) {
  for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8})
    EXPECT_EQ(refused(precision, false), !is_fast(precision)) << to_string(precision);
}

// An int8 engine below VNNI would be wrong, not only slow: its sums saturate.
TEST(Precision, needs_an_instruction_set_even_when_forced) {
  EXPECT_FALSE(refused(Precision::f32, true));
  if (max_isa() == Isa::native) return;
  EXPECT_EQ(refused(Precision::bf16, true), max_isa() < Isa::avx512);
  EXPECT_EQ(refused(Precision::int8, true), max_isa() < Isa::avx512_vnni);
  if (max_isa() < Isa::avx512_vnni) {
    expect_error(ErrorCode::unsupported,
                 std::string("precision int8 needs avx512_vnni, and the engine may use ") +
                     to_string(max_isa()) + " here",
                 [] { expect_usable(Precision::int8, true); });
  }
}

}  // namespace
}  // namespace headway
