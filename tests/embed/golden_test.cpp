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

// Puts links to the weights and the tokenizer of the real model into `dir`.
void link_large_files(const TempDir& dir, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    fs::create_symlink(real_model_directory() / name, dir.path(name));
}

TEST(GoldenEmbedder, VectorsAreThoseOfTheReference) {
  const std::vector<std::string> texts = golden_texts();
  const std::vector<float> expected = read_golden_floats("minilm/embeddings.npy");
  ASSERT_GE(texts.size(), 500u);
  ASSERT_EQ(expected.size(), texts.size() * 384);
  const Embedder embedder = Embedder::open(real_model_directory());
  const Embeddings got = embedder.embed(texts);
  ASSERT_EQ(got.texts, static_cast<int64_t>(texts.size()));
  ASSERT_EQ(got.dim, 384);
  double least = 1;
  int64_t tokens = 0;
  const auto ids = read_golden_lines("minilm/ids.jsonl");
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto row = got.row(static_cast<int64_t>(i));
    const double similarity = cosine(row, std::span(expected).subspan(i * 384, 384));
    EXPECT_GE(similarity, 0.999999) << "text " << i << ": " << texts[i];
    EXPECT_NEAR(cosine(row, row), 1, 1e-9);
    double norm = 0;
    for (const float value : row) norm += double{value} * value;
    EXPECT_NEAR(norm, 1, 1e-6) << "text " << i;
    least = std::min(least, similarity);
    tokens += static_cast<int64_t>(ids[i].root().size());
  }
  RecordProperty("least_cosine", std::to_string(least));
  EXPECT_EQ(got.stats.texts, got.texts);
  EXPECT_EQ(got.stats.tokens, tokens);
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
