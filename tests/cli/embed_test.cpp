// headway embed: what comes out for what goes in, as npy and JSON lines, to files and pipes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "engine/formats/json.hpp"
#include "headway/embedder.hpp"
#include "tests/cli/arrays.hpp"
#include "tests/cli/model.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::string> kTexts{
    "a cat sits on the mat", "", "eine Katze\r", "short", std::string("nul\0inside", 10),
    "\xF0\x9F\x90\x88 cat"};

// kTexts as a file; the last line has no newline.
std::string lines() {
  std::string text;
  for (const std::string& line : kTexts) text += (text.empty() ? "" : "\n") + line;
  return text;
}

const std::vector<float>& expected_vectors() {
  static const std::vector<float> values = Embedder::open(model_directory()).embed(kTexts).values;
  return values;
}

std::vector<std::string> embed_arguments(std::vector<std::string> more) {
  more.insert(more.begin(), {"embed", "--model", model_directory()});
  return more;
}

std::vector<std::vector<float>> parse_jsonl(const std::string& text) {
  std::vector<std::vector<float>> rows;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line, "line");
    auto& row = rows.emplace_back();
    for (const JsonNode number : json.root().elements())
      row.push_back(static_cast<float>(number.as_double()));
  }
  return rows;
}

TEST(EmbedCommand, takes_prompts_and_dimensions) {
  const std::string model = HEADWAY_SOURCE_DIR "/tests/golden/pipelines/dense";
  const Embedder embedder = Embedder::open(model);
  const std::vector<std::string> texts{"the cat"};
  const auto expect = [&](std::vector<std::string> arguments, const EmbedOptions& chosen) {
    arguments.insert(arguments.begin(), {"embed", "--model", model, "--format", "jsonl"});
    const ProcessResult result = run_headway(arguments, {.input = "the cat"});
    ASSERT_EQ(result.code, 0) << result.err;
    const auto rows = parse_jsonl(result.out);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0], embedder.embed(std::span(texts), {}, chosen).values);
  };
  expect({}, {});  // the default prompt
  expect({"--prompt", ""}, {.prompt = ""});
  expect({"--prompt", "a "}, {.prompt = "a "});
  expect({"--prompt-name", "document", "--dimensions", "5"},
         {.prompt_name = "document", .dimensions = 5});
  const auto refused = [&](int code, std::vector<std::string> arguments, const char* message) {
    arguments.insert(arguments.begin(), {"embed", "--model", model, "--format", "jsonl"});
    const ProcessResult result = run_headway(arguments, {.input = "the cat"});
    EXPECT_EQ(result.code, code);
    EXPECT_THAT(result.err, HasSubstr(message));
  };
  refused(1, {"--prompt-name", "other"}, "prompt_name: expected one of document, empty, query");
  refused(1, {"--dimensions", "13"}, "dimensions: expected 1 to 12, found 13");
  refused(2, {"--dimensions", "0"}, "--dimensions");
  refused(2, {"--prompt", "a", "--prompt-name", "query"}, "--prompt");
}

TEST(EmbedCommand, writes_npy_to_a_file) {
  const TempDir dir;
  const std::string input = dir.write("texts.txt", lines());
  const ProcessResult result =
      run_headway(embed_arguments({"--input", input, "--output", dir.path("v.npy")}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(dir.names(), ElementsAre("texts.txt", "v.npy"));
  const NpyContent content = parse_npy(dir.read("v.npy"));
  EXPECT_EQ(content.shape, "(6, 384)");
  EXPECT_EQ(content.values, expected_vectors());
}

TEST(EmbedCommand, writes_npy_to_a_pipe) {
  const ProcessResult result = run_headway(embed_arguments({}), {.input = lines()});
  ASSERT_EQ(result.code, 0) << result.err;
  const NpyContent content = parse_npy(result.out);
  EXPECT_EQ(content.shape, "(6, 384)");
  EXPECT_EQ(content.values, expected_vectors());
}

TEST(EmbedCommand, writes_json_lines_that_read_back_as_the_same_floats) {
  const ProcessResult result =
      run_headway(embed_arguments({"--format", "jsonl"}), {.input = lines()});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = parse_jsonl(result.out);
  ASSERT_EQ(rows.size(), kTexts.size());
  for (size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(rows[i], std::vector<float>(expected_vectors().begin() + i * 384,
                                          expected_vectors().begin() + (i + 1) * 384))
        << i;
}

TEST(EmbedCommand, takes_the_format_from_the_name) {
  const TempDir dir;
  ASSERT_EQ(run_headway(embed_arguments({"--output", dir.path("v.jsonl")}), {.input = "a\n"}).code,
            0);
  EXPECT_EQ(parse_jsonl(dir.read("v.jsonl")).size(), 1u);
  ASSERT_EQ(run_headway(embed_arguments({"--output", dir.path("v.jsonl"), "--format", "npy"}),
                        {.input = "a\n"})
                .code,
            0);
  EXPECT_EQ(parse_npy(dir.read("v.jsonl")).shape, "(1, 384)");
}

TEST(EmbedCommand, no_text_gives_no_rows) {
  const ProcessResult npy = run_headway(embed_arguments({}));
  ASSERT_EQ(npy.code, 0) << npy.err;
  EXPECT_EQ(parse_npy(npy.out).shape, "(0, 384)");
  const ProcessResult jsonl = run_headway(embed_arguments({"--format", "jsonl"}));
  ASSERT_EQ(jsonl.code, 0) << jsonl.err;
  EXPECT_EQ(jsonl.out, "");
}

TEST(EmbedCommand, bytes_that_are_not_utf8_become_replacement_characters) {
  const auto bad = run_headway(embed_arguments({}), {.input = "caf\xE9 au lait\n"});
  const auto replaced = run_headway(embed_arguments({}), {.input = "caf\xEF\xBF\xBD au lait\n"});
  ASSERT_EQ(bad.code, 0) << bad.err;
  EXPECT_EQ(bad.out, replaced.out);
}

TEST(EmbedCommand, threads_do_not_change_the_output) {
  const auto one = run_headway(embed_arguments({"--threads", "1"}), {.input = lines()});
  const auto two = run_headway(embed_arguments({"--threads", "2"}), {.input = lines()});
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.out, two.out);
}

TEST(EmbedCommand, sums_up_on_standard_error_and_as_json) {
  const TempDir dir;
  const ProcessResult result = run_headway(
      embed_arguments({"--max-length", "4", "--stats", dir.path("s.json"), "--threads", "1"}),
      {.input = "one two three four five\none\n"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, StartsWith("headway: 2 texts (7 tokens) in "));
  EXPECT_THAT(result.err, HasSubstr(" texts/s; 1 text was longer than the limit and cut\n"));
  const Json stats = Json::read_file(dir.path("s.json"));
  EXPECT_EQ(stats.root().at("texts").as_int64(), 2);
  EXPECT_EQ(stats.root().at("tokens").as_int64(), 7);
  EXPECT_EQ(stats.root().at("truncated").as_int64(), 1);
  EXPECT_EQ(stats.root().at("threads").as_int64(), 1);
  EXPECT_EQ(stats.root().at("precision").as_string(), "f32");
  EXPECT_GT(stats.root().at("seconds").as_double(), 0);
  EXPECT_NEAR(stats.root().at("texts_per_s").as_double(),
              2 / stats.root().at("seconds").as_double(), 1e-6);
}

TEST(EmbedCommand, shows_progress_on_a_terminal_only) {
  const auto quiet = run_headway(embed_arguments({}), {.input = lines()});
  EXPECT_THAT(quiet.err, testing::Not(HasSubstr("\r")));
  const TempDir dir;
  const std::string input = dir.write("texts.txt", lines());
  const auto shown = run_headway(embed_arguments({"--input", input}), {.terminal_error = true});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.err, StartsWith("\r6 texts, "));
  EXPECT_THAT(shown.err, HasSubstr(" texts/s, 100 %"));
  // The line is gone when the summary comes.
  EXPECT_THAT(shown.err, HasSubstr("\r\x1b[Kheadway: 6 texts"));
}

TEST(EmbedCommand, tells_who_types_how_to_end) {
  RunningProcess process(embed_arguments({"--format", "jsonl"}), {.terminal_input = true});
  process.type("a text\n\x04");
  const ProcessResult result = process.wait();
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, StartsWith("headway: type one text a line; Ctrl-D"));
  EXPECT_EQ(parse_jsonl(result.out).size(), 1u);
}

TEST(EmbedCommand, writes_to_devices_and_fifos_as_streams) {
  const ProcessResult null =
      run_headway(embed_arguments({"--output", "/dev/null"}), {.input = "a"});
  EXPECT_EQ(null.code, 0) << null.err;
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const ProcessResult out =
      run_headway(embed_arguments({"--output", "/dev/stdout"}), {.input = lines()});
  ASSERT_EQ(out.code, 0) << out.err;
  EXPECT_EQ(parse_npy(out.out).values, expected_vectors());
}

}  // namespace
}  // namespace headway::cli
