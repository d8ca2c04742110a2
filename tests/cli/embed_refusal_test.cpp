// headway embed: what it refuses, and what an interrupted run leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "tests/cli/expect.hpp"
#include "tests/cli/model.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> embed_arguments(std::vector<std::string> more) {
  more.insert(more.begin(), {"embed", "--model", model_directory()});
  return more;
}

TEST(EmbedRefusal, a_directory_that_is_not_a_model) {
  const TempDir dir;
  expect_refusal(1, dir.path(), {"embed", "--model", dir.path()});
  expect_refusal(1, dir.path("missing"), {"embed", "--model", dir.path("missing")});
  expect_refusal(1, "CMakeLists.txt", {"embed", "--model", HEADWAY_SOURCE_DIR "/CMakeLists.txt"});
}

TEST(EmbedRefusal, a_model_of_late_interaction) {
  const std::string model = HEADWAY_SOURCE_DIR "/tests/golden/multi_vector/bert";
  expect_refusal(1, "MultiVectorEmbedder opens it, and headway rerank",
                 {"embed", "--model", model});
}

TEST(EmbedRefusal, an_input_that_cannot_be_read) {
  const TempDir dir;
  expect_refusal(1, "missing.txt\": No such file",
                 embed_arguments({"--input", dir.path("missing.txt")}));
  expect_refusal(1, "it is a directory", embed_arguments({"--input", dir.path()}));
}

TEST(EmbedRefusal, an_output_that_cannot_be_written) {
  const TempDir dir;
  for (const char* option : {"--output", "--stats"}) {
    expect_refusal(1, "missing/v.npy", embed_arguments({option, dir.path("missing/v.npy")}),
                   {.input = "a"});
    expect_refusal(1, dir.path(), embed_arguments({option, dir.path()}), {.input = "a"});
  }
  EXPECT_TRUE(dir.names().empty());
}

TEST(EmbedRefusal, a_full_device) {
  expect_refusal(1, "No space left on device", embed_arguments({"--output", "/dev/full"}),
                 {.input = "a"});
}

TEST(EmbedRefusal, npy_to_a_terminal) {
  expect_refusal(2, "--format jsonl", embed_arguments({}), {.input = "a", .terminal_output = true});
  const auto jsonl =
      run_headway(embed_arguments({"--format", "jsonl"}), {.input = "a", .terminal_output = true});
  EXPECT_EQ(jsonl.code, 0) << jsonl.err;
  EXPECT_THAT(jsonl.out, StartsWith("["));
}

TEST(EmbedRefusal, files_named_twice) {
  const TempDir dir;
  const std::string file = dir.write("texts.txt", "a\n");
  std::filesystem::create_symlink(file, dir.path("link"));
  expect_refusal(2, "also named by --input",
                 embed_arguments({"--input", file, "--output", dir.path("link")}));
  expect_refusal(2, "also named by --input", embed_arguments({"--input", file, "--stats", file}));
  expect_refusal(2, "also named by --output",
                 embed_arguments({"--output", dir.path("new"), "--stats", dir.path("new")}));
  EXPECT_EQ(dir.read("texts.txt"), "a\n");
}

TEST(EmbedRefusal, a_line_without_end) {
  const TempDir dir;
  const std::string big = dir.write("big.txt", "a\nb\n" + std::string((size_t{64} << 20) + 1, 'x'));
  const ProcessResult result =
      run_headway(embed_arguments({"--input", big, "--output", dir.path("v.npy")}));
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("big.txt\": line 3 is longer than 67108864 bytes"));
  EXPECT_FALSE(std::filesystem::exists(dir.path("v.npy")));
}

TEST(EmbedRefusal, lengths_and_threads_that_cannot_be) {
  expect_refusal(1, "256", embed_arguments({"--max-length", "257"}), {.input = "a"});
  expect_refusal(2, "--max-length", embed_arguments({"--max-length", "0"}));
  expect_refusal(2, "--threads", embed_arguments({"--threads", "0"}));
  expect_refusal(2, "--threads", embed_arguments({"--threads", "many"}));
  expect_refusal(2, "--format", embed_arguments({"--format", "csv"}));
}

TEST(EmbedRefusal, a_reader_that_has_gone) {
  RunningProcess process(embed_arguments({"--format", "jsonl"}));
  process.close_output();
  process.type("a\n");
  process.close_input();
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot write to standard output: its reader has gone"));
}

TEST(EmbedInterrupt, leaves_no_file_while_reading) {
  const TempDir dir;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    expect_interrupted(
        signal, embed_arguments({"--output", dir.path("v.npy"), "--stats", dir.path("s.json")}),
        dir, 2, "a text\n");
}

TEST(EmbedInterrupt, leaves_no_file_while_embedding) {
  const TempDir dir;
  std::string texts;
  for (int i = 0; i < 20000; ++i) texts += "a text of a dozen words or so that takes a while\n";
  const std::string input = dir.write("texts.txt", texts);
  RunningProcess process(embed_arguments({"--input", input, "--output", dir.path("v.npy")}),
                         {.terminal_error = true});
  for (int i = 0; i < 1000 && dir.names().size() < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  process.send(SIGINT);
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_EQ(dir.names(), std::vector<std::string>{"texts.txt"});
}

TEST(EmbedInterrupt, keeps_the_file_of_an_earlier_run) {
  const TempDir dir;
  dir.write("v.npy", "earlier");
  RunningProcess process(embed_arguments({"--output", dir.path("v.npy")}));
  for (int i = 0; i < 1000 && dir.names().size() < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  process.send(SIGINT);
  EXPECT_EQ(process.wait().code, 130);
  EXPECT_EQ(dir.names(), std::vector<std::string>{"v.npy"});
  EXPECT_EQ(dir.read("v.npy"), "earlier");
}

}  // namespace
}  // namespace headway::cli
