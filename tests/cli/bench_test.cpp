// headway bench: that its numbers are there and agree with each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/formats/json.hpp"
#include "tests/cli/model.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::cli {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kShape{"bench", "multihead", "--batch", "2", "--tokens",  "10",
                                      "--dim", "64",        "--heads", "8", "--seconds", "0.1"};

std::vector<std::string> with(std::vector<std::string> args, std::vector<std::string> more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

// One JSON object on one line, with what every benchmark reports.
Json expect_json(const ProcessResult& result) {
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out.find('\n'), result.out.size() - 1);
  Json json = Json::parse(result.out, "result");
  const JsonNode root = json.root();
  EXPECT_GT(root.at("min_s").as_double(), 0);
  EXPECT_GE(root.at("median_s").as_double(), root.at("min_s").as_double());
  EXPECT_GE(root.at("passes").as_int64(), 5);
  EXPECT_EQ(root.at("threads").as_int64(), 1);
  EXPECT_FALSE(root.at("isa").as_string().empty());
  EXPECT_EQ(root.at("precision").as_string(), "f32");
  EXPECT_GT(root.at("gflops").as_double(), 0);
  return json;
}

TEST(BenchMultiHead, prints_json) {
  const Json json = expect_json(run_headway(with(kShape, {"--json", "--threads", "1"})));
  // Projections 2 * 20 * 64 * 256, q k^T and w v 2 * (2 * 2 * 10 * 10 * 64), in floating-point
  // operations; softmax may count a little.
  const double flops =
      json.root().at("gflops").as_double() * 1e9 * json.root().at("min_s").as_double();
  EXPECT_NEAR(flops, 2 * 20 * 64 * 256 + 4 * 2 * 10 * 10 * 64, 0.05 * flops);
}

TEST(BenchMultiHead, holds_to_the_isa) {
  const Json json =
      expect_json(run_headway(with(kShape, {"--json", "--threads", "1", "--isa", "sse4"})));
  EXPECT_EQ(json.root().at("isa").as_string(), "sse4");
}

TEST(BenchMultiHead, prints_for_people) {
  const ProcessResult result = run_headway(kShape);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("MultiHead [2, 10, 64], 8 heads: min "));
  EXPECT_THAT(result.out, HasSubstr("GFLOP/s"));
}

TEST(BenchMultiHead, refuses_heads_that_do_not_divide_dim) {
  const ProcessResult result = run_headway(
      {"bench", "multihead", "--batch", "1", "--tokens", "2", "--dim", "64", "--heads", "7"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("7"));
}

TEST(BenchMultiHead, refuses_sizes_beyond_memory) {
  const ProcessResult result =
      run_headway({"bench", "multihead", "--batch", "2000000000", "--tokens", "2000000000", "--dim",
                   "64", "--heads", "8"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("headway: error: "));
}

TEST(BenchEmbed, prints_json) {
  const TempDir dir;
  const std::string input = dir.write("texts.txt", "one two three\nfour\n\n");
  const Json json =
      expect_json(run_headway({"bench", "embed", "--model", model_directory(), "--input", input,
                               "--threads", "1", "--seconds", "0.1", "--json"}));
  const JsonNode root = json.root();
  EXPECT_EQ(root.at("texts").as_int64(), 3);
  EXPECT_EQ(root.at("tokens").as_int64(), 5 + 3 + 2);
  const double min = root.at("min_s").as_double();
  EXPECT_NEAR(root.at("texts_per_s").as_double(), 3 / min, 1e-6 / min);
  EXPECT_NEAR(root.at("tokens_per_s").as_double(), 10 / min, 1e-6 / min);
}

TEST(BenchEmbed, prints_for_people) {
  const TempDir dir;
  const std::string input = dir.write("texts.txt", "one two three\nfour\n");
  const ProcessResult result = run_headway(
      {"bench", "embed", "--model", model_directory(), "--input", input, "--seconds", "0"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("2 texts, 8 tokens: "));
}

TEST(BenchEmbed, refuses_a_file_without_texts) {
  const TempDir dir;
  const std::string input = dir.write("texts.txt", "");
  const ProcessResult result =
      run_headway({"bench", "embed", "--model", model_directory(), "--input", input});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("texts.txt\" holds no texts"));
}

}  // namespace
}  // namespace headway::cli
