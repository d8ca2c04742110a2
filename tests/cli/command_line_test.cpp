// What all commands share: help, version, wrong usage, the ISA.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/process.hpp"

namespace headway::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

void expect_usage_error(const std::string& message, const std::vector<std::string>& args) {
  const ProcessResult result = run_headway(args);
  EXPECT_EQ(result.code, 2) << result.err;
  EXPECT_THAT(result.err, StartsWith("headway: error: "));
  EXPECT_THAT(result.err, HasSubstr(message));
  EXPECT_THAT(result.err, HasSubstr("--help\" for what it takes.\n"));
  EXPECT_EQ(result.out, "");
}

TEST(CommandLine, shows_help_with_examples) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"embed"},
                                             {"heads"},
                                             {"rerank"},
                                             {"classify"},
                                             {"tag"},
                                             {"fill-mask"},
                                             {"multihead"},
                                             {"info"},
                                             {"bench", "multihead"},
                                             {"bench", "embed"}}) {
    auto args = command;
    args.push_back("--help");
    const ProcessResult result = run_headway(args);
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, HasSubstr("Example"));
    EXPECT_THAT(result.out, HasSubstr("headway " + command.front()));
  }
  const ProcessResult all = run_headway({"--help"});
  for (const char* word : {"embed", "rerank", "classify", "tag", "fill-mask", "heads", "multihead",
                           "info", "bench", "--isa", "--version"})
    EXPECT_THAT(all.out, HasSubstr(word));
}

TEST(CommandLine, shows_its_version) {
  const ProcessResult result = run_headway({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, testing::MatchesRegex("headway [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(CommandLine, refuses_by_name_an_option_that_does_not_exist) {
  expect_usage_error("headway bench multihead has no option --no-such-option",
                     {"bench", "multihead", "--batch", "1", "--tokens", "1", "--dim", "8",
                      "--heads", "1", "--no-such-option", "1"});
  expect_usage_error("headway bench multihead has no option --no-such-option",
                     {"bench", "multihead", "--no-such-option=1"});
  expect_usage_error("headway embed has no option --no-such-option",
                     {"embed", "--model", "m", "--no-such-option", "1"});
  expect_usage_error("headway has no option --no-such-option", {"--no-such-option"});
}

TEST(CommandLine, refuses_what_is_missing_or_too_much) {
  expect_usage_error(
      "headway needs a subcommand: embed, embed-sparse, rerank, classify, tag, fill-mask, heads, "
      "multihead, info, bench",
      {});
  expect_usage_error("headway bench needs a subcommand: multihead, embed", {"bench"});
  expect_usage_error(
      "has no subcommand \"embedd\", only embed, embed-sparse, rerank, classify, tag, "
      "fill-mask, heads, multihead,",
      {"embedd"});
  expect_usage_error("headway bench has no subcommand \"emb\"", {"bench", "emb"});
  expect_usage_error("unexpected argument \"texts.txt\"", {"embed", "--model", "m", "texts.txt"});
  expect_usage_error("--model is required", {"embed"});
  expect_usage_error("--heads is required",
                     {"multihead", "--weights", "w", "--input", "x", "--output", "y"});
  expect_usage_error("--model", {"info", "--model"});
}

TEST(CommandLine, takes_the_isa_before_or_after_the_command) {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"--isa", "sse4", "info"}, {"info", "--isa", "sse4"}}) {
    const ProcessResult result = run_headway(args);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("sse4"));
  }
}

TEST(CommandLine, refuses_an_unknown_isa) {
  expect_usage_error("mmx", {"--isa", "mmx", "info"});
  const ProcessResult result = run_headway({"info"}, {.environment = {{"HEADWAY_MAX_ISA", "mmx"}}});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("HEADWAY_MAX_ISA"));
}

}  // namespace
}  // namespace headway::cli
