// headway fill-mask: the tokens of the library, as JSON lines, and what is refused.
#include <gtest/gtest.h>

#include <sstream>

#include "engine/formats/json.hpp"
#include "headway/masked_lm.hpp"
#include "tests/cli/expect.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {
namespace {

const std::string kModel = HEADWAY_SOURCE_DIR "/tests/golden/tokens/roberta";
const std::vector<std::string_view> kTexts = {"the <mask> sat.", "<mask><mask> \u00e9"};

void expect_those_of_the_library(size_t top_k, const std::vector<std::string>& more) {
  std::string input;
  for (size_t i = 0; i < 600; ++i)  // more than one window
    for (const std::string_view text : kTexts) input.append(text).append("\n");
  std::vector<std::string> args = {"fill-mask", "--model", kModel, "--threads", "1"};
  args.insert(args.end(), more.begin(), more.end());
  const ProcessResult result = run_headway(args, {.input = input});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "headway: 1,200 texts\n");
  const FilledMasks filled = MaskedLM::open(kModel).fill_mask(kTexts, top_k);
  std::istringstream in(result.out);
  std::string line;
  for (size_t i = 0; i < 1200; ++i) {
    ASSERT_TRUE(std::getline(in, line));
    const Json json = Json::parse(line, "line");
    const JsonNode masks = json.root().at("masks");
    const auto& of_text = filled.texts[i % 2];
    ASSERT_EQ(masks.size(), of_text.size());
    for (size_t mask = 0; mask < masks.size(); ++mask) {
      ASSERT_EQ(masks[mask].size(), top_k);
      for (size_t rank = 0; rank < top_k; ++rank) {
        const JsonNode token = masks[mask][rank];
        EXPECT_EQ(token.at("id").as_int64(), of_text[mask][rank].id);
        EXPECT_EQ(token.at("text").as_string(), of_text[mask][rank].text);
        EXPECT_EQ(static_cast<float>(token.at("score").as_double()), of_text[mask][rank].score);
      }
    }
  }
  EXPECT_FALSE(std::getline(in, line));
}

TEST(FillMaskCommand, writes_the_tokens_of_the_library) {
  expect_those_of_the_library(5, {});
  expect_those_of_the_library(2, {"--top-k", "2"});
}

TEST(FillMaskCommand, names_the_lines_where_a_mask_is_missing) {
  const TempDir dir;
  std::string input;
  for (int i = 0; i < 1025; ++i) input += "<mask>\n";
  input += "the cat\n";
  expect_refusal(1, "texts.txt\", from line 1025 on: texts[1]: no mask token \"<mask>\" among its",
                 {"fill-mask", "--model", kModel, "--input", dir.write("texts.txt", input),
                  "--output", dir.path("filled.jsonl")});
  EXPECT_EQ(dir.names(), std::vector<std::string>{"texts.txt"});
}

TEST(FillMaskCommand, says_what_was_cut) {
  const ProcessResult result = run_headway({"fill-mask", "--model", kModel, "--max-length", "3"},
                                           {.input = "<mask> the cat sat\n"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "headway: 1 texts; 1 longer than the limit and cut\n");
}

TEST(FillMaskCommand, leaves_no_file_when_interrupted) {
  const TempDir dir;
  expect_interrupted(SIGINT, {"fill-mask", "--model", kModel, "--output", dir.path("filled.jsonl")},
                     dir, 1, "<mask>\n");
}

TEST(FillMaskCommand, refuses_what_cannot_be) {
  const TempDir dir;
  const std::string file = dir.write("t.txt", "<mask>\n");
  expect_refusal(2, "--model is required", {"fill-mask"});
  expect_refusal(2, "--top-k", {"fill-mask", "--model", kModel, "--top-k", "0"});
  expect_refusal(2, "also named by --input",
                 {"fill-mask", "--model", kModel, "--input", file, "--output", file});
  expect_refusal(1, "top_k: expected 1 to ",
                 {"fill-mask", "--model", kModel, "--top-k", "1000", "--input", file});
  expect_refusal(1, "missing.txt",
                 {"fill-mask", "--model", kModel, "--input", dir.path("missing.txt")});
  expect_refusal(1, "\"cls.predictions",
                 {"fill-mask", "--model", HEADWAY_SOURCE_DIR "/tests/golden/tasks/classifier"});
}

}  // namespace
}  // namespace headway::cli
