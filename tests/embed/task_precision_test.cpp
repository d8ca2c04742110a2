// How far bf16 and int8 take the scores of each task from f32.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "engine/ops/precision.hpp"
#include "headway/classifier.hpp"
#include "headway/masked_lm.hpp"
#include "headway/multi_vector_embedder.hpp"
#include "headway/reranker.hpp"
#include "headway/sparse_embedder.hpp"
#include "headway/token_classifier.hpp"
#include "tests/support/golden.hpp"

namespace headway {
namespace {

const std::vector<std::string_view> kTexts = {"the cat sat.", "hello world", "how are you, cat?"};

std::vector<float> rerank(const EmbedderOptions& options) {
  return Reranker::open(golden_path("tasks/reranker"), options).score("what is a cat?", kTexts);
}

std::vector<float> rank_by_tokens(const EmbedderOptions& options) {
  return MultiVectorEmbedder::open(golden_path("multi_vector/bert"), options)
      .score("what is a cat?", kTexts);
}

std::vector<float> classify(const EmbedderOptions& options) {
  return Classifier::open(golden_path("tasks/classifier"), options).classify(kTexts).scores;
}

std::vector<float> embed_sparse(const EmbedderOptions& options) {
  const auto embedder = SparseEmbedder::open(golden_path("tasks/sparse"), options);
  const SparseEmbeddings sparse = embedder.embed(kTexts);
  std::vector<float> dense;
  for (const SparseVector& vector : sparse.vectors) {
    const size_t begin = dense.size();
    dense.resize(begin + static_cast<size_t>(embedder.info().dim));
    for (size_t i = 0; i < vector.tokens.size(); ++i)
      dense[begin + static_cast<size_t>(vector.tokens[i])] = vector.weights[i];
  }
  return dense;
}

std::vector<float> classify_tokens(const EmbedderOptions& options) {
  const auto classifier = TokenClassifier::open(golden_path("tokens/bert"), options);
  const Entities entities = classifier.classify(kTexts, {}, {Aggregation::none, {}});
  std::vector<float> scores;
  for (const auto& of_text : entities.texts)
    for (const Entity& entity : of_text) scores.push_back(entity.score);
  return scores;
}

std::vector<float> fill_mask(const EmbedderOptions& options) {
  const auto model = MaskedLM::open(golden_path("tokens/bert"), options);
  const std::vector<std::string_view> texts = {"the [MASK] sat [MASK]"};
  const FilledMasks filled = model.fill_mask(texts, static_cast<size_t>(model.info().vocabulary));
  std::vector<float> scores;
  for (const auto& mask : filled.texts[0]) {
    const size_t begin = scores.size();
    scores.resize(begin + mask.size());
    for (const FilledToken& token : mask)
      scores[begin + static_cast<size_t>(token.id)] = token.score;
  }
  return scores;
}

struct Task {
  const char* name;
  std::function<std::vector<float>(const EmbedderOptions&)> scores;
  double bf16, int8;  // the farthest that a score may go
};

// The greatest distances measured are about half of these, on AVX512_BF16.
TEST(TaskPrecision, StaysNearToF32) {
  const Task tasks[] = {
      {"reranker", rerank, 0.007, 0.012},        {"late interaction", rank_by_tokens, 0.05, 0.16},
      {"classifier", classify, 0.007, 0.015},    {"sparse", embed_sparse, 0.05, 0.08},
      {"tokens", classify_tokens, 0.016, 0.025}, {"masks", fill_mask, 0.004, 0.005}};
  for (const Task& task : tasks) {
    const std::vector<float> exact = task.scores({});
    for (const Precision precision : {Precision::bf16, Precision::int8}) {
      // An engine refuses it elsewhere (tests/graph/precision_test.cpp).
      if (!is_fast(precision)) continue;
      SCOPED_TRACE(testing::Message() << task.name << " in " << to_string(precision));
      const std::vector<float> got = task.scores({.precision = precision});
      ASSERT_EQ(got.size(), exact.size());
      double farthest = 0;
      for (size_t i = 0; i < got.size(); ++i)
        farthest = std::max(farthest, std::abs(double{got[i]} - exact[i]));
      EXPECT_LE(farthest, precision == Precision::bf16 ? task.bf16 : task.int8);
      EXPECT_GT(farthest, 1e-6) << "computed in f32?";
    }
  }
}

}  // namespace
}  // namespace headway
