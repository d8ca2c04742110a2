// Sparse vectors, against SparseEncoder of sentence-transformers (scripts/make_golden_tasks.py).
#include "headway/sparse_embedder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/expect_error.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

class GoldenSparse : public testing::TestWithParam<const char*> {
 protected:
  GoldenSparse() {
    for (const JsonNode text : expected.root().at("texts").elements())
      texts.push_back(text.as_string());
  }

  std::string name = std::string("tasks/") + GetParam();
  Json expected = Json::parse(read_golden(name + "/expected.json"), name);
  std::vector<std::string_view> texts;
  SparseEmbedder embedder = SparseEmbedder::open(golden_path(name));
  EmbedOptions query{.prompt_name = "query"};
};

TEST_P(GoldenSparse, VectorsAreThoseOfTheReference) {
  const std::vector<SparseVector> vectors = embedder.embed(texts, {}, query).vectors;
  ASSERT_EQ(vectors.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const JsonNode row = expected.root().at("vectors")[i];
    std::vector<float> dense(row.size());
    for (size_t j = 0; j < vectors[i].tokens.size(); ++j) {
      EXPECT_GT(vectors[i].weights[j], 0);
      dense.at(static_cast<size_t>(vectors[i].tokens[j])) = vectors[i].weights[j];
    }
    for (size_t token = 0; token < row.size(); ++token)
      EXPECT_NEAR(dense[token], row[token].as_double(), 1e-5) << "text " << i << ", " << token;
  }
}

TEST_P(GoldenSparse, VectorsDependOnNothingElse) {
  std::vector<std::string_view> many;  // more than are kept as dense rows at once
  while (many.size() < 300) many.insert(many.end(), texts.begin(), texts.end());
  const std::vector<SparseVector> all = embedder.embed(many).vectors;
  RunOptions one_thread;
  one_thread.threads = 1;
  for (size_t i = 0; i < many.size(); i += 37) {
    const SparseVector one = embedder.embed(std::span(many).subspan(i, 1), one_thread).vectors[0];
    EXPECT_EQ(one.tokens, all[i].tokens);
    EXPECT_EQ(one.weights, all[i].weights);
  }
}

TEST_P(GoldenSparse, CountsWhatItReads) {
  std::string words;  // more than the limit of 64
  for (int i = 0; i < 100; ++i) words += "a ";
  std::vector<std::string_view> many;  // more than are kept as dense rows at once
  while (many.size() < 300) many.insert(many.end(), {"a", words});
  const EmbedStats one = embedder.embed(std::span(many).subspan(0, 2)).stats;
  const EmbedStats all = embedder.embed(many).stats;
  EXPECT_EQ(one.truncated, 1);
  EXPECT_EQ(one.tokens, 3 + embedder.info().max_length);
  EXPECT_EQ(all.texts, 300);
  EXPECT_EQ(all.truncated, 150);
  EXPECT_EQ(all.tokens, 150 * one.tokens);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenSparse, testing::Values("sparse", "sparse-twice"));

TEST(SparseVectors, AreSimilarByTheTokensTheyShare) {
  const SparseVector a{{1, 4, 7}, {2, 3, 5}}, b{{0, 4, 7, 9}, {1, 10, 100, 7}};
  EXPECT_EQ(similarity(a, b), 530);
  EXPECT_EQ(similarity(b, a), 530);
  EXPECT_EQ(similarity(a, {}), 0);
}

TEST(SparseEmbedder, RefusesWhatItDoesNotKnow) {
  const auto refused = [](const char* file, const char* content, const char* message) {
    const TempDir dir;
    std::filesystem::copy(golden_path("tasks/sparse"), dir.path(),
                          std::filesystem::copy_options::recursive);
    dir.write(file, content);
    expect_error(ErrorCode::unsupported, message, [&] { SparseEmbedder::open(dir.path()); });
  };
  refused("1_SpladePooling/config.json", R"({"pooling_strategy": "sum"})",
          "\"pooling_strategy\": \"sum\"");
  refused("1_SpladePooling/config.json", R"({"activation_function": "tanh"})",
          "\"activation_function\": \"tanh\"");
  refused(
      "modules.json",
      R"([{"type": "Transformer", "path": ""}, {"type": "Pooling", "path": "1_SpladePooling"}])",
      "module \"Pooling\"");
  expect_error(ErrorCode::format, "expected SpladePooling",
               [] { SparseEmbedder::open(golden_path("tasks/classifier")); });
}

}  // namespace
}  // namespace headway
