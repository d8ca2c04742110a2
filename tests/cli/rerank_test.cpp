// headway rerank: the order and the scores of the library, as JSON lines, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <sstream>

#include "engine/formats/json.hpp"
#include "headway/multi_vector_embedder.hpp"
#include "headway/reranker.hpp"
#include "tests/cli/expect.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {
namespace {

using testing::HasSubstr;

const std::string kModel = HEADWAY_SOURCE_DIR "/tests/golden/tasks/reranker";
const std::string kQuery = "what is a cat?";
const std::vector<std::string_view> kDocuments = {"the cat sat.", "", "hello \"world\"", "a\tb"};

std::string lines() {
  std::string text;
  for (const std::string_view document : kDocuments) text.append(document).append("\n");
  return text;
}

ProcessResult rerank_lines(std::vector<std::string> more) {
  more.insert(more.begin(), {"rerank", "--model", kModel, "--query", kQuery});
  return run_headway(more, {.input = lines()});
}

void expect_ranked(const std::string& output, const std::vector<RankedDocument>& ranked) {
  std::istringstream in(output);
  std::string line;
  for (const RankedDocument& expected : ranked) {
    ASSERT_TRUE(std::getline(in, line));
    const Json json = Json::parse(line, "line");
    EXPECT_EQ(json.root().at("index").as_int64(), static_cast<int64_t>(expected.index));
    EXPECT_EQ(static_cast<float>(json.root().at("score").as_double()), expected.score);
    EXPECT_EQ(json.root().at("document").as_string(), kDocuments[expected.index]);
  }
  EXPECT_FALSE(std::getline(in, line)) << line;
}

void expect_ranked(const std::string& output, size_t top_k) {
  expect_ranked(output, Reranker::open(kModel).rank(kQuery, kDocuments, top_k));
}

TEST(RerankCommand, writes_the_best_document_first) {
  const ProcessResult all = rerank_lines({});
  ASSERT_EQ(all.code, 0) << all.err;
  expect_ranked(all.out, 0);
  EXPECT_EQ(all.err, "headway: 4 documents\n");
  const ProcessResult two = rerank_lines({"--top-k", "2", "--threads", "1"});
  ASSERT_EQ(two.code, 0) << two.err;
  expect_ranked(two.out, 2);
}

TEST(RerankCommand, takes_models_of_late_interaction) {
  const std::string model = HEADWAY_SOURCE_DIR "/tests/golden/multi_vector/bert";
  const ProcessResult two = run_headway(
      {"rerank", "--model", model, "--query", kQuery, "--top-k", "2"}, {.input = lines()});
  ASSERT_EQ(two.code, 0) << two.err;
  expect_ranked(two.out, MultiVectorEmbedder::open(model).rank(kQuery, kDocuments, 2));
  EXPECT_EQ(two.err, "headway: 4 documents\n");
}

TEST(RerankCommand, reads_and_writes_files) {
  const TempDir dir;
  const std::string input = dir.write("documents.txt", lines());
  const ProcessResult result =
      rerank_lines({"--input", input, "--output", dir.path("ranked.jsonl")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  expect_ranked(dir.read("ranked.jsonl"), 0);
  const ProcessResult nothing = run_headway({"rerank", "--model", kModel, "--query", "a"});
  EXPECT_EQ(nothing.code, 0) << nothing.err;
  EXPECT_EQ(nothing.out, "");
}

TEST(RerankCommand, says_what_was_cut) {
  const ProcessResult result = rerank_lines({"--max-length", "8"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("longer than the limit and cut"));
}

TEST(RerankCommand, refuses_what_cannot_be) {
  const TempDir dir;
  const std::string file = dir.write("d.txt", "a\n");
  expect_refusal(2, "--query is required", {"rerank", "--model", kModel});
  expect_refusal(2, "--model is required", {"rerank", "--query", "a"});
  expect_refusal(2, "--top-k", {"rerank", "--model", kModel, "--query", "a", "--top-k", "0"});
  expect_refusal(2, "also named by --input",
                 {"rerank", "--model", kModel, "--query", "a", "--input", file, "--output", file});
  expect_refusal(1, "missing.txt",
                 {"rerank", "--model", kModel, "--query", "a", "--input", dir.path("missing.txt")});
  expect_refusal(
      1, "transformer_task",
      {"rerank", "--query", "a", "--model", HEADWAY_SOURCE_DIR "/tests/golden/pipelines/modes"});
}

TEST(RerankCommand, leaves_no_file_when_interrupted) {
  const TempDir dir;
  expect_interrupted(
      SIGINT, {"rerank", "--model", kModel, "--query", "a", "--output", dir.path("ranked.jsonl")},
      dir, 1, "the cat\n");
}

}  // namespace
}  // namespace headway::cli
