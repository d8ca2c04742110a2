// Names, the environment variable and the one-time choice of the instruction set.
#include "engine/platform/isa.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

TEST(Isa, NamesReadBack) {
  for (Isa isa : {Isa::native, Isa::sse4, Isa::avx2, Isa::avx512, Isa::avx512_vnni,
                  Isa::avx512_bf16, Isa::amx})
    EXPECT_EQ(parse_isa(to_string(isa)), isa);
}

TEST(Isa, LimitLowersOnly) {
  EXPECT_EQ(limit_isa("", Isa::avx2), Isa::avx2);
  EXPECT_EQ(limit_isa("sse4", Isa::avx2), Isa::sse4);
  EXPECT_EQ(limit_isa("avx2", Isa::avx2), Isa::avx2);
  EXPECT_EQ(limit_isa("avx512", Isa::amx), Isa::avx512);
  EXPECT_EQ(limit_isa("native", Isa::native), Isa::native);
  const auto refused = [](const char* text, Isa cpu, const char* message) {
    expect_error(ErrorCode::invalid_argument, message, [&] { limit_isa(text, cpu); });
  };
  refused("avx512", Isa::avx2,
          "HEADWAY_MAX_ISA: this CPU has no avx512, expected one of: sse4, avx2");
  refused("AVX2", Isa::avx512,
          "HEADWAY_MAX_ISA: unknown ISA \"AVX2\", expected one of: sse4, avx2, avx512");
  refused("avx2 ", Isa::avx2, "HEADWAY_MAX_ISA: unknown ISA \"avx2 \"");
  refused("native", Isa::avx2, "this CPU has no native, expected one of: sse4, avx2");
  refused("sse4", Isa::native, "this CPU has no sse4, expected one of: native");
}

#if defined(__x86_64__)
// The kernel's own list is the oracle.
TEST(Isa, AgreesWithTheKernel) {
  std::ifstream file("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const size_t line = text.find("\nflags");
  ASSERT_NE(line, std::string::npos);
  const std::string flags = text.substr(line + 1, text.find('\n', line + 1) - line - 1) + " ";
  const auto has = [&](const std::string& flag) {
    return flags.find(" " + flag + " ") != std::string::npos;
  };
  const Isa cpu = cpu_isa();
  EXPECT_EQ(cpu >= Isa::avx2, has("avx2") && has("fma") && has("bmi2"));
  EXPECT_EQ(cpu >= Isa::avx512, has("avx512f") && has("avx512bw") && has("avx512dq") &&
                                    has("avx512vl") && has("avx512cd"));
  EXPECT_EQ(cpu >= Isa::avx512_vnni, cpu >= Isa::avx512 && has("avx512_vnni"));
  EXPECT_EQ(cpu >= Isa::avx512_bf16, cpu >= Isa::avx512_vnni && has("avx512_bf16"));
  EXPECT_EQ(cpu >= Isa::amx,
            cpu >= Isa::avx512_bf16 && has("amx_tile") && has("amx_int8") && has("amx_bf16"));
}

// The choice is fixed once a process has asked: each case runs in a process of its own.
class IsaProcess : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  // Runs `action` and leaves with the name of max_isa() or the error on stderr.
  template <typename Action>
  [[noreturn]] static void report(const char* environment, Action action) {
    if (environment) {
      ::setenv("HEADWAY_MAX_ISA", environment, 1);
    } else {
      ::unsetenv("HEADWAY_MAX_ISA");
    }
    try {
      action();
      std::fprintf(stderr, "isa=%s;", to_string(max_isa()));
    } catch (const Error& error) {
      std::fprintf(stderr, "%s: %s", to_string(error.code()), error.what());
    }
    std::_Exit(0);
  }
  static constexpr auto kNothing = [] {};
};

TEST_F(IsaProcess, DefaultIsTheCpus) {
  EXPECT_EXIT(report(nullptr, kNothing), testing::ExitedWithCode(0),
              "isa=" + std::string(to_string(cpu_isa())) + ";");
  EXPECT_EXIT(report("", kNothing), testing::ExitedWithCode(0),
              "isa=" + std::string(to_string(cpu_isa())) + ";");
}

TEST_F(IsaProcess, EnvironmentLowers) {
  EXPECT_EXIT(report("sse4", kNothing), testing::ExitedWithCode(0), "isa=sse4;");
  EXPECT_EXIT(report("avx9", kNothing), testing::ExitedWithCode(0),
              "invalid_argument: HEADWAY_MAX_ISA: unknown ISA \"avx9\", expected one of: sse4");
}

TEST_F(IsaProcess, SetBeforeUseWinsOverTheEnvironment) {
  EXPECT_EXIT(report("avx9", [] { set_max_isa(Isa::sse4); }), testing::ExitedWithCode(0),
              "isa=sse4;");
}

TEST_F(IsaProcess, SetAfterUseIsRefusedUnlessEqual) {
  EXPECT_EXIT(report("sse4",
                     [] {
                       max_isa();
                       set_max_isa(Isa::sse4);
                     }),
              testing::ExitedWithCode(0), "isa=sse4;");
  if (cpu_isa() == Isa::sse4) return;
  EXPECT_EXIT(report("sse4",
                     [] {
                       max_isa();
                       set_max_isa(Isa::avx2);
                     }),
              testing::ExitedWithCode(0),
              "invalid_argument: the ISA cannot become avx2: sse4 is in use already");
}

TEST_F(IsaProcess, SetRefusesWhatTheCpuLacks) {
  EXPECT_EXIT(report(nullptr, [] { set_max_isa(Isa::native); }), testing::ExitedWithCode(0),
              "invalid_argument: ISA: this CPU has no native, expected one of: sse4");
}

TEST(Isa, ParseListsTheNames) {
  expect_error(ErrorCode::invalid_argument,
               "unknown ISA \"neon\", expected one of: sse4, avx2, avx512, avx512_vnni, "
               "avx512_bf16, amx",
               [] { parse_isa("neon"); });
}
#endif

}  // namespace
}  // namespace headway
