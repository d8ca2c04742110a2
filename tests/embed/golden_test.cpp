// Vectors of the real model, against sentence-transformers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "headway/embedder.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

double cosine(std::span<const float> a, std::span<const float> b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

// Row for row, and of length 1.
void expect_alike(const Embeddings& got, std::span<const float> expected,
                  std::span<const std::string> texts) {
  const auto dim = static_cast<size_t>(got.dim);
  ASSERT_EQ(got.texts, static_cast<int64_t>(texts.size()));
  ASSERT_EQ(expected.size(), texts.size() * dim);
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto row = got.row(static_cast<int64_t>(i));
    EXPECT_GE(cosine(row, expected.subspan(i * dim, dim)), 0.999999)
        << "text " << i << ": " << texts[i];
    double norm = 0;
    for (const float value : row) norm += double{value} * value;
    EXPECT_NEAR(norm, 1, 1e-6) << "text " << i;
  }
}

// Puts links to the weights and the tokenizer of the real model into `dir`.
void link_large_files(const TempDir& dir, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    fs::create_symlink(real_model_directory() / name, dir.path(name));
}

TEST(GoldenEmbedder, VectorsAreThoseOfTheReference) {
  const std::vector<std::string> texts = golden_texts();
  const std::vector<float> expected = read_golden_floats("minilm/embeddings.npy");
  ASSERT_GE(texts.size(), 500u);
  const Embedder embedder = Embedder::open(real_model_directory());
  const Embeddings got = embedder.embed(texts);
  ASSERT_EQ(got.dim, 384);
  expect_alike(got, expected, texts);
  int64_t tokens = 0;
  for (const Json& ids : read_golden_lines("minilm/ids.jsonl"))
    tokens += static_cast<int64_t>(ids.root().size());
  EXPECT_EQ(got.stats.texts, got.texts);
  EXPECT_EQ(got.stats.tokens, tokens);
  EXPECT_GT(got.stats.truncated, 0);
}

// Which scripts/test.sh fetches for the long form of the tests.
TEST(GoldenEmbedder, VectorsOfMpnetAreThoseOfTheReference) {
  const fs::path directory = HEADWAY_SOURCE_DIR "/models/all-mpnet-base-v2";
  if (!fs::exists(directory))
    GTEST_SKIP() << directory << " is missing: scripts/get_model.sh all-mpnet-base-v2 fetches it";
  const std::vector<std::string> all = golden_texts();
  std::vector<std::string> texts;  // as scripts/make_golden_mpnet.py chooses them
  for (size_t i = 0; i < all.size(); i += 32) texts.push_back(all[i]);
  texts.insert(texts.end(), all.end() - 8, all.end());
  const Embeddings got = Embedder::open(directory).embed(texts);
  ASSERT_EQ(got.dim, 768);
  expect_alike(got, read_golden_floats("mpnet/embeddings.npy"), texts);
  EXPECT_GT(got.stats.truncated, 0);
}

TEST(GoldenEmbedder, SaysWhatItDecided) {
  const ModelInfo info = Embedder::open(real_model_directory()).info();
  EXPECT_EQ(info.architecture, "bert");
  EXPECT_EQ(info.layers, 6);
  EXPECT_EQ(info.dim, 384);
  EXPECT_EQ(info.heads, 12);
  EXPECT_EQ(info.vocabulary, 30522);
  EXPECT_EQ(info.max_length, 256);
  EXPECT_EQ(info.sources.at("max_length"), "sentence_bert_config.json: max_seq_length");
  EXPECT_EQ(info.pooling, "mean");
  EXPECT_TRUE(info.normalize);
}

TEST(GoldenEmbedder, SavedAgainByTheReferenceItGivesTheSameVectors) {
  const TempDir dir;
  fs::copy(golden_path("minilm-resaved"), dir.path(), fs::copy_options::recursive);
  link_large_files(dir, {"model.safetensors", "tokenizer.json"});
  const Embedder resaved = Embedder::open(dir.path());
  EXPECT_EQ(resaved.info().max_length, 256);
  EXPECT_EQ(resaved.info().sources.at("max_length"), "tokenizer_config.json: model_max_length");
  EXPECT_EQ(resaved.info().pooling, "mean");
  EXPECT_TRUE(resaved.info().normalize);

  std::vector<std::string> texts = golden_texts();
  texts.erase(texts.begin(), texts.end() - 60);  // with some beyond the limit
  const Embedder shipped = Embedder::open(real_model_directory());
  EXPECT_EQ(resaved.embed(texts).values, shipped.embed(texts).values);
}

TEST(GoldenEmbedder, WithoutTheModulesItIsThePlainModel) {
  const TempDir dir;
  link_large_files(dir, {"model.safetensors", "vocab.txt", "config.json", "tokenizer_config.json"});
  const Embedder plain = Embedder::open(dir.path());
  EXPECT_EQ(plain.info().max_length, 512);
  EXPECT_EQ(plain.info().pooling, "mean");
  EXPECT_FALSE(plain.info().normalize);

  const std::vector<std::string> texts = {"Hello, world!", "Each head looks at 8 numbers"};
  const Embeddings got = plain.embed(texts);
  const Embeddings normalized = Embedder::open(real_model_directory()).embed(texts);
  for (int64_t text = 0; text < 2; ++text) {
    EXPECT_NEAR(cosine(got.row(text), normalized.row(text)), 1, 1e-9);
    double norm = 0;
    for (const float value : got.row(text)) norm += double{value} * value;
    EXPECT_GT(norm, 2);  // not of length 1
  }
}

}  // namespace
}  // namespace headway
