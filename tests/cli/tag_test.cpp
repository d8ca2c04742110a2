// headway tag: the entities of the library, as JSON lines, and what is refused.
#include <gtest/gtest.h>

#include <sstream>

#include "engine/formats/json.hpp"
#include "headway/token_classifier.hpp"
#include "tests/cli/expect.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {
namespace {

const std::string kModel = HEADWAY_SOURCE_DIR "/tests/golden/tokens/bert";
const std::vector<std::string_view> kTexts = {"Jim Smith lives in Z\u00fcrich.", "", "the cat"};

void expect_those_of_the_library(const Aggregation aggregation,
                                 const std::vector<std::string>& more) {
  const TempDir dir;
  std::string input;
  for (size_t i = 0; i < 400; ++i)  // more than one window
    for (const std::string_view text : kTexts) input.append(text).append("\n");
  std::vector<std::string> args = {
      "tag", "--model", kModel, "--threads", "1", "--input", dir.write("texts.txt", input)};
  args.insert(args.end(), more.begin(), more.end());
  const ProcessResult result = run_headway(args);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "headway: 1,200 texts\n");
  const Entities entities =
      TokenClassifier::open(kModel).classify(kTexts, {}, {.aggregation = aggregation});
  ASSERT_FALSE(entities.texts[0].empty());
  std::istringstream in(result.out);
  std::string line;
  for (size_t i = 0; i < 1200; ++i) {
    ASSERT_TRUE(std::getline(in, line));
    const Json json = Json::parse(line, "line");
    const JsonNode all = json.root().at("entities");
    const std::vector<Entity>& of_text = entities.texts[i % 3];
    ASSERT_EQ(all.size(), of_text.size());
    for (size_t j = 0; j < of_text.size(); ++j) {
      EXPECT_EQ(all[j].at("label").as_string(), of_text[j].label);
      EXPECT_EQ(static_cast<float>(all[j].at("score").as_double()), of_text[j].score);
      EXPECT_EQ(all[j].at("word").as_string(), of_text[j].word);
      EXPECT_EQ(all[j].at("begin").as_int64(), static_cast<int64_t>(of_text[j].begin));
      EXPECT_EQ(all[j].at("end").as_int64(), static_cast<int64_t>(of_text[j].end));
    }
  }
  EXPECT_FALSE(std::getline(in, line));
}

TEST(TagCommand, writes_the_entities_of_the_library) {
  expect_those_of_the_library(Aggregation::none, {});
  for (const Aggregation each : {Aggregation::none, Aggregation::simple, Aggregation::first,
                                 Aggregation::average, Aggregation::max})
    expect_those_of_the_library(each, {"--aggregation", to_string(each)});
}

TEST(TagCommand, says_what_was_cut) {
  const ProcessResult result =
      run_headway({"tag", "--model", kModel, "--max-length", "3"}, {.input = "the cat sat\n"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "headway: 1 texts; 1 longer than the limit and cut\n");
}

TEST(TagCommand, leaves_no_file_when_interrupted) {
  const TempDir dir;
  expect_interrupted(SIGINT, {"tag", "--model", kModel, "--output", dir.path("tags.jsonl")}, dir, 1,
                     "the cat\n");
}

TEST(TagCommand, refuses_what_cannot_be) {
  const TempDir dir;
  const std::string file = dir.write("t.txt", "a\n");
  expect_refusal(2, "--model is required", {"tag"});
  expect_refusal(2, "--aggregation",
                 {"tag", "--model", kModel, "--aggregation", "last", "--input", file});
  expect_refusal(2, "also named by --input",
                 {"tag", "--model", kModel, "--input", file, "--output", file});
  expect_refusal(1, "missing.txt", {"tag", "--model", kModel, "--input", dir.path("missing.txt")});
  expect_refusal(1, "transformer_task",
                 {"tag", "--model", HEADWAY_SOURCE_DIR "/tests/golden/tasks/reranker"});
  EXPECT_EQ(dir.names(), std::vector<std::string>{"t.txt"});
}

}  // namespace
}  // namespace headway::cli
