// headway classify: the scores of the library, as JSON lines, and what is refused.
#include <gtest/gtest.h>

#include <csignal>
#include <sstream>

#include "engine/formats/json.hpp"
#include "headway/classifier.hpp"
#include "tests/cli/expect.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {
namespace {

const std::string kModel = HEADWAY_SOURCE_DIR "/tests/golden/tasks/classifier";
const std::vector<std::string_view> kTexts = {"the cat sat.", "", "hello world"};

TEST(ClassifyCommand, writes_the_scores_of_the_library) {
  const TempDir dir;
  std::string input;
  for (size_t i = 0; i < 700; ++i)  // more than one window
    for (const std::string_view text : kTexts) input.append(text).append("\n");
  const ProcessResult result = run_headway(
      {"classify", "--model", kModel, "--input", dir.write("texts.txt", input), "--threads", "1"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "headway: 2,100 texts\n");
  const Classifier classifier = Classifier::open(kModel);
  const Classes classes = classifier.classify(kTexts);
  std::istringstream in(result.out);
  std::string line;
  for (int64_t i = 0; i < 2100; ++i) {
    ASSERT_TRUE(std::getline(in, line));
    const Json json = Json::parse(line, "line");
    const auto row = classes.row(i % 3);
    float most = 0;
    std::string best;
    for (size_t label = 0; label < row.size(); ++label) {
      const std::string& name = classifier.info().labels[label];
      ASSERT_EQ(static_cast<float>(json.root().at("scores").at(name).as_double()), row[label]);
      if (row[label] > most) most = row[label], best = name;
    }
    EXPECT_EQ(json.root().at("label").as_string(), best);
  }
  EXPECT_FALSE(std::getline(in, line));
}

TEST(ClassifyCommand, says_what_was_cut) {
  const ProcessResult result =
      run_headway({"classify", "--model", kModel, "--max-length", "3"}, {.input = "the cat sat\n"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "headway: 1 texts; 1 longer than the limit and cut\n");
}

TEST(ClassifyCommand, refuses_what_cannot_be) {
  const TempDir dir;
  const std::string file = dir.write("t.txt", "a\n");
  expect_refusal(2, "--model is required", {"classify"});
  expect_refusal(2, "also named by --input",
                 {"classify", "--model", kModel, "--input", file, "--output", file});
  expect_refusal(1, "missing.txt",
                 {"classify", "--model", kModel, "--input", dir.path("missing.txt")});
  expect_refusal(1, "transformer_task",
                 {"classify", "--model", HEADWAY_SOURCE_DIR "/tests/golden/pipelines/modes"});
}

TEST(ClassifyCommand, leaves_no_file_when_interrupted) {
  const TempDir dir;
  expect_interrupted(SIGINT, {"classify", "--model", kModel, "--output", dir.path("labels.jsonl")},
                     dir, 1, "the cat\n");
}

}  // namespace
}  // namespace headway::cli
