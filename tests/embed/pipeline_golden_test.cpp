// Whole pipelines of modules, against sentence-transformers (scripts/make_golden_pipelines.py).
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "headway/embedder.hpp"
#include "headway/error.hpp"
#include "tests/support/golden.hpp"

namespace headway {
namespace {

EmbedOptions options_of(JsonNode golden) {
  EmbedOptions options;
  if (const auto prompt = golden.find("prompt")) options.prompt = prompt->as_string();
  if (const auto name = golden.find("prompt_name")) options.prompt_name = name->as_string();
  options.dimensions = golden.get_int("dimensions", 0);
  return options;
}

void expect_vectors(const Embeddings& got, JsonNode expected) {
  ASSERT_EQ(static_cast<size_t>(got.texts), expected.size());
  for (int64_t text = 0; text < got.texts; ++text) {
    const JsonNode row = expected[static_cast<size_t>(text)];
    ASSERT_EQ(row.size(), static_cast<size_t>(got.dim));
    for (size_t i = 0; i < row.size(); ++i)
      // Sums over up to 64 tokens are up to 100; the rest is around 1.
      ASSERT_NEAR(got.row(text)[i], row[i].as_double(), 1e-5 * (1 + std::abs(row[i].as_double())))
          << "text " << text << ", number " << i;
  }
}

TEST(GoldenPipelines, VectorsAreThoseOfTheReference) {
  RunOptions one_thread;
  one_thread.threads = 1;
  size_t cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden_path("pipelines"))) {
    const std::string name = entry.path().filename().string();
    SCOPED_TRACE(name);
    const Embedder embedder = Embedder::open(entry.path());
    const Json expected = Json::parse(read_golden("pipelines/" + name + "/expected.json"), name);
    const std::vector<std::string_view> texts = strings(expected.root().at("texts"));
    for (const JsonNode golden : expected.root().at("cases").elements()) {
      SCOPED_TRACE(golden.path());
      const Embeddings all = embedder.embed(std::span(texts), {}, options_of(golden));
      expect_vectors(all, golden.at("vectors"));
      // The same bits alone.
      for (size_t i = 0; i < texts.size(); ++i) {
        const Embeddings one =
            embedder.embed(std::span(texts).subspan(i, 1), one_thread, options_of(golden));
        const auto row = all.row(static_cast<int64_t>(i));
        ASSERT_EQ(one.values, std::vector<float>(row.begin(), row.end())) << "text " << i;
      }
      ++cases;
    }
  }
  EXPECT_EQ(cases, 19u);
}

TEST(GoldenPipelines, LessPreciseOnesAreNear) {
  for (const Precision precision : {Precision::bf16, Precision::int8}) {
    const std::string path = golden_path("pipelines/dense");
    std::optional<Embedder> embedder;
    try {
      embedder = Embedder::open(path, {.precision = precision});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported) << error.what();  // not on this CPU
      continue;
    }
    const Json expected = Json::parse(read_golden("pipelines/dense/expected.json"), "dense");
    const auto texts = strings(expected.root().at("texts"));
    const Embeddings got = embedder->embed(std::span(texts));
    const JsonNode vectors = expected.root().at("cases")[0].at("vectors");
    for (int64_t text = 0; text < got.texts; ++text) {
      double cosine = 0;  // both have length 1
      for (size_t i = 0; i < static_cast<size_t>(got.dim); ++i)
        cosine += got.row(text)[i] * vectors[static_cast<size_t>(text)][i].as_double();
      EXPECT_GT(cosine, 0.97) << to_string(precision) << ", text " << text;
    }
  }
}

}  // namespace
}  // namespace headway
