// Detects the instruction sets and keeps the process-wide limit.
#include "engine/platform/isa.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <array>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "engine/base/message.hpp"

namespace headway {
namespace {

constexpr std::array kAll = {Isa::native,      Isa::sse4,        Isa::avx2, Isa::avx512,
                             Isa::avx512_vnni, Isa::avx512_bf16, Isa::amx};

// Names of the values up to `last` that exist on the architecture of `last`.
std::string names_up_to(Isa last) {
  std::string names;
  for (Isa isa : kAll) {
    if (isa > last || (isa == Isa::native) != (last == Isa::native)) continue;
    if (!names.empty()) names += ", ";
    names += to_string(isa);
  }
  return names;
}

void check_available(Isa isa, Isa cpu, std::string_view source) {
  if (isa > cpu || (isa == Isa::native) != (cpu == Isa::native))
    fail(ErrorCode::invalid_argument, source, ": this CPU has no ", to_string(isa),
         ", expected one of: ", names_up_to(cpu));
}

#if defined(__x86_64__) || defined(__i386__)
// CPUID leaf 7 and XCR0 by hand: __builtin_cpu_supports of Clang 14 does not know AMX.
bool has_amx() {
  constexpr uint32_t kFeatures = 1u << 22 | 1u << 24 | 1u << 25;  // EDX: bf16, tile, int8
  constexpr uint32_t kTileState = 1u << 17 | 1u << 18;            // XCR0: XTILECFG, XTILEDATA
  uint32_t eax, ebx, ecx, edx;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return false;
  if ((edx & kFeatures) != kFeatures) return false;
  uint32_t low, high;  // XGETBV exists: the caller has found AVX2
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kTileState) == kTileState;
}
#endif

struct Limit {
  std::mutex mutex;
  std::optional<Isa> isa;
  bool fixed = false;  // max_isa() has told somebody
};

Limit& limit() {
  static Limit limit;
  return limit;
}

}  // namespace

const char* to_string(Isa isa) {
  switch (isa) {
    case Isa::native:
      return "native";
    case Isa::sse4:
      return "sse4";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
    case Isa::avx512_vnni:
      return "avx512_vnni";
    case Isa::avx512_bf16:
      return "avx512_bf16";
    case Isa::amx:
      return "amx";
  }
  return "unknown";
}

Isa parse_isa(std::string_view text) {
  for (Isa isa : kAll)
    if (text == to_string(isa)) return isa;
  const Isa last = cpu_isa() == Isa::native ? Isa::native : Isa::amx;
  fail(ErrorCode::invalid_argument, "unknown ISA \"", text,
       "\", expected one of: ", names_up_to(last));
}

Isa cpu_isa() {
#if defined(__x86_64__) || defined(__i386__)
  // The compiler's runtime asks CPUID, and the operating system through XGETBV.
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2"))
    return Isa::sse4;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512cd") ||
      !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl"))
    return Isa::avx2;
  if (!__builtin_cpu_supports("avx512vnni")) return Isa::avx512;
  if (!__builtin_cpu_supports("avx512bf16")) return Isa::avx512_vnni;
  return has_amx() ? Isa::amx : Isa::avx512_bf16;
#else
  return Isa::native;
#endif
}

Isa limit_isa(std::string_view text, Isa cpu) {
  if (text.empty()) return cpu;
  for (Isa isa : kAll) {
    if (text != to_string(isa)) continue;
    check_available(isa, cpu, "HEADWAY_MAX_ISA");
    return isa;
  }
  fail(ErrorCode::invalid_argument, "HEADWAY_MAX_ISA: unknown ISA \"", text,
       "\", expected one of: ", names_up_to(cpu));
}

Isa max_isa() {
  const std::scoped_lock lock(limit().mutex);
  if (!limit().isa) {
    const char* text = std::getenv("HEADWAY_MAX_ISA");
    limit().isa = limit_isa(text ? text : "", cpu_isa());
  }
  limit().fixed = true;
  return *limit().isa;
}

void set_max_isa(Isa isa) {
  check_available(isa, cpu_isa(), "ISA");
  const std::scoped_lock lock(limit().mutex);
  if (limit().fixed && limit().isa != isa)
    fail(ErrorCode::invalid_argument, "the ISA cannot become ", to_string(isa), ": ",
         to_string(*limit().isa), " is in use already");
  limit().isa = isa;
}

}  // namespace headway
