// Which documents answer a query: a cross-encoder reads the query with each of them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "headway/text_model.hpp"

namespace headway {

struct RankedDocument {
  size_t index = 0;  // among the documents given
  float score = 0;
};

// Opens directories of sequence classification models with one label, as CrossEncoder of
// sentence-transformers reads them. A score is the label's logit, through a sigmoid unless the
// files say Identity: `activation_fn` of config_sentence_transformers.json, `sentence_transformers`
// or `sbert_ce_default_activation_function` of config.json.
class HEADWAY_API Reranker : public TextModel {
 public:
  // Errors as Embedder::open.
  static Reranker open(const std::filesystem::path& directory, const EmbedderOptions& options = {});

  // A score for each document; the longer of the two texts is cut where both are too long. A
  // default prompt of the model is put before the query.
  std::vector<float> score(std::string_view query, std::span<const std::string_view> documents,
                           const RunOptions& options = {}) const;
  // The same into `scores` [documents.size()].
  EmbedStats score(std::string_view query, std::span<const std::string_view> documents,
                   float* scores, const RunOptions& options = {}) const;

  // The documents by their scores, the best first, equal ones in their order: all of them, or the
  // `top_k` first.
  std::vector<RankedDocument> rank(std::string_view query,
                                   std::span<const std::string_view> documents, size_t top_k = 0,
                                   const RunOptions& options = {}) const;

 private:
  using TextModel::TextModel;
};

// The order of `scores` as Reranker::rank has it. NaN comes last.
HEADWAY_API std::vector<RankedDocument> rank(std::span<const float> scores, size_t top_k = 0);

}  // namespace headway
