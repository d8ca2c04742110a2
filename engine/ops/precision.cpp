// Names of precisions, and what they need.
#include "engine/ops/precision.hpp"

#include "engine/base/message.hpp"
#include "engine/platform/isa.hpp"

namespace headway {

namespace {

Isa needed(Precision precision) {
  return precision == Precision::bf16 ? Isa::avx512_bf16 : Isa::avx512_vnni;
}

}  // namespace

const char* to_string(Precision precision) {
  switch (precision) {
    case Precision::f32:
      return "f32";
    case Precision::bf16:
      return "bf16";
    case Precision::int8:
      return "int8";
  }
  return "unknown";
}

bool is_fast(Precision precision) {
  return precision == Precision::f32 || max_isa() >= needed(precision);
}

void expect_usable(Precision precision, bool forced) {
  if (is_fast(precision)) return;
  if (!forced) {
    fail(ErrorCode::unsupported, "precision ", to_string(precision),
         " is no faster than f32 without ", to_string(needed(precision)),
         ", and the engine may use ", to_string(max_isa()), " here: use f32, or force it");
  }
  // oneDNN has no bf16 below AVX-512, and without VNNI its int8 products add pairs in 16 bits,
  // which two products of 127 * 127 overflow.
  const Isa least = precision == Precision::bf16 ? Isa::avx512 : Isa::avx512_vnni;
  if (max_isa() == Isa::native || max_isa() >= least) return;
  fail(ErrorCode::unsupported, "precision ", to_string(precision), " needs ", to_string(least),
       ", and the engine may use ", to_string(max_isa()), " here");
}

}  // namespace headway
