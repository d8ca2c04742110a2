// Which instruction sets the CPU has and how far the engine may go. Highway and oneDNN are both
// held to max_isa(), so that one switch governs all arithmetic.
#pragma once

#include <string>
#include <string_view>

namespace headway {

// Each value includes those before it (on x86; elsewhere there is only `native`).
enum class Isa {
  native,       // not x86: whatever the libraries choose
  sse4,         // x86: SSE4.2 and everything older
  avx2,         // AVX2, FMA, BMI2
  avx512,       // AVX-512 F, CD, BW, DQ, VL
  avx512_vnni,  // and VNNI: int8 dot products
  avx512_bf16,  // and BF16 dot products
  amx,          // and AMX tiles for int8 and bf16
};

// "avx512_vnni"
const char* to_string(Isa isa);

// The value with that name; Error(invalid_argument) listing the names when there is none.
Isa parse_isa(std::string_view text);

// The best that this CPU and its operating system can run.
Isa cpu_isa();

// The best that the engine may use: cpu_isa() unless lowered by set_max_isa or else by the
// environment variable HEADWAY_MAX_ISA (empty counts as unset). Error(invalid_argument) when the
// variable holds an unknown value or one that the CPU lacks. Fixed by the first call.
// Thread-safe.
Isa max_isa();

// Lowers max_isa(). Error(invalid_argument) when the CPU lacks `isa`, or when max_isa() has
// already given another answer.
void set_max_isa(Isa isa);

// The value that `text` (HEADWAY_MAX_ISA) allows on a CPU with `cpu`; what max_isa() does first.
Isa limit_isa(std::string_view text, Isa cpu);

}  // namespace headway
