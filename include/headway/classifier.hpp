// Texts to labels: what a model for sequence classification says of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "headway/text_model.hpp"

namespace headway {

// Row-major float32 [texts, labels].
struct Classes {
  std::vector<float> scores;
  int64_t texts = 0;
  int64_t labels = 0;
  EmbedStats stats;

  std::span<const float> row(int64_t text) const {
    return std::span(scores).subspan(text * labels, labels);
  }
};

// Opens directories as transformers' AutoModelForSequenceClassification reads them; the labels are
// those of `id2label`, in info().labels. Scores are what its text-classification pipeline gives
// with top_k=None: a softmax over the labels; a sigmoid for each where there is one label or
// `problem_type` is multi_label_classification; the logits themselves for regression
// (info().activation says which).
class HEADWAY_API Classifier : public TextModel {
 public:
  // Errors as Embedder::open.
  static Classifier open(const std::filesystem::path& directory,
                         const EmbedderOptions& options = {});

  Classes classify(std::span<const std::string_view> texts, const RunOptions& options = {}) const;

 private:
  using TextModel::TextModel;
};

}  // namespace headway
