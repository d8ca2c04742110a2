// headway embed-sparse: the vectors of the library, as JSON lines, and what is refused.
#include <gtest/gtest.h>

#include <csignal>
#include <sstream>

#include "engine/formats/json.hpp"
#include "headway/sparse_embedder.hpp"
#include "tests/cli/expect.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {
namespace {

const std::string kModel = HEADWAY_SOURCE_DIR "/tests/golden/tasks/sparse";
const std::vector<std::string_view> kTexts = {"the cat sat.", "", "hello world"};

void expect_vectors(const std::vector<std::string>& args, const EmbedOptions& chosen) {
  std::vector<std::string> all = {"embed-sparse", "--model", kModel};
  all.insert(all.end(), args.begin(), args.end());
  std::string input;
  for (const std::string_view text : kTexts) input.append(text).append("\n");
  const ProcessResult result = run_headway(all, {.input = input});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "headway: 3 texts\n");
  const SparseEmbedder embedder = SparseEmbedder::open(kModel);
  std::istringstream in(result.out);
  std::string line;
  for (const SparseVector& vector : embedder.embed(kTexts, {}, chosen).vectors) {
    ASSERT_TRUE(std::getline(in, line));
    const Json json = Json::parse(line, "line");
    ASSERT_GT(vector.tokens.size(), 0u);
    for (const char* field : {"ids", "tokens", "weights"})
      ASSERT_EQ(json.root().at(field).size(), vector.tokens.size());
    for (size_t i = 0; i < vector.tokens.size(); ++i) {
      EXPECT_EQ(json.root().at("ids")[i].as_int64(), vector.tokens[i]);
      EXPECT_EQ(json.root().at("tokens")[i].as_string(),
                embedder.tokenizer().id_to_token(vector.tokens[i]));
      EXPECT_EQ(static_cast<float>(json.root().at("weights")[i].as_double()), vector.weights[i]);
    }
  }
  EXPECT_FALSE(std::getline(in, line));
}

TEST(EmbedSparseCommand, writes_the_vectors_of_the_library) {
  expect_vectors({}, {});
  expect_vectors({"--prompt", "cat "}, {.prompt = "cat "});
}

TEST(EmbedSparseCommand, refuses_what_cannot_be) {
  expect_refusal(2, "--model is required", {"embed-sparse"});
  expect_refusal(1, "prompt_name: expected one of",
                 {"embed-sparse", "--model", kModel, "--prompt-name", "none"}, {.input = "a\n"});
  expect_refusal(1, "transformer_task",
                 {"embed-sparse", "--model", HEADWAY_SOURCE_DIR "/tests/golden/pipelines/modes"});
}

TEST(EmbedSparseCommand, leaves_no_file_when_interrupted) {
  const TempDir dir;
  expect_interrupted(SIGINT,
                     {"embed-sparse", "--model", kModel, "--output", dir.path("vectors.jsonl")},
                     dir, 1, "the cat\n");
}

}  // namespace
}  // namespace headway::cli
