// Texts to a vector for each token, and late interaction between them: ColBERT (Khattab and
// Zaharia, 2020).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "headway/reranker.hpp"
#include "headway/text_model.hpp"

namespace headway {

// Vectors of the tokens of some texts, row-major float32 [tokens of all texts, dim].
struct MultiVectors {
  std::vector<float> values;
  std::vector<int64_t> offsets = {0};  // the first row of each text, and where the last one's end
  int64_t dim = 0;
  EmbedStats stats;

  int64_t texts() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t tokens(int64_t text) const { return offsets[text + 1] - offsets[text]; }
  // [tokens(text), dim]
  std::span<const float> rows(int64_t text) const {
    return std::span(values).subspan(offsets[text] * dim, tokens(text) * dim);
  }
};

// MaxSim of a query [tokens, dim] and a document [tokens, dim]: the sum over the query's tokens of
// the greatest dot product with a token of the document. -1e9 for a document without tokens.
// Error(invalid_argument) when dim is below 1 or does not divide the sizes.
HEADWAY_API float max_sim(std::span<const float> query, std::span<const float> document,
                          int64_t dim);

struct MultiVectorState;

// Opens directories as MultiVectorEncoder of sentence-transformers reads them: a Transformer, then
// Dense and Normalize on tokens, and MultiVectorMask, which says which tokens are kept. Of
// sentence_bert_config.json it takes query_length, document_length and query_expansion, which fills
// short queries up with mask tokens. What PyLate (1.x) and the paper's own code (HF_ColBERT) save
// will do as well.
class HEADWAY_API MultiVectorEmbedder : public TextModel {
 public:
  // EmbedderOptions::max_length may lower the limits of documents and queries; those of an
  // expansion stay. Errors as Embedder::open.
  static MultiVectorEmbedder open(const std::filesystem::path& directory,
                                  const EmbedderOptions& options = {});

  // The vectors of the tokens that are kept. Of EmbedOptions the prompt counts; without one it is
  // that named "query" or "document".
  MultiVectors embed_queries(std::span<const std::string_view> texts,
                             const RunOptions& options = {}, const EmbedOptions& chosen = {}) const;
  MultiVectors embed_documents(std::span<const std::string_view> texts,
                               const RunOptions& options = {},
                               const EmbedOptions& chosen = {}) const;

  // max_sim(), divided by the query's tokens where the model's similarity_fn_name is "meanmaxsim".
  float similarity(std::span<const float> query, std::span<const float> document) const;

  // A similarity for each document, which are not kept: 256 are in memory at a time.
  std::vector<float> score(std::string_view query, std::span<const std::string_view> documents,
                           const RunOptions& options = {}) const;
  // The same into `scores` [documents.size()]. The stats count the query as a text, too.
  EmbedStats score(std::string_view query, std::span<const std::string_view> documents,
                   float* scores, const RunOptions& options = {}) const;
  // The documents by their scores, as Reranker::rank.
  std::vector<RankedDocument> rank(std::string_view query,
                                   std::span<const std::string_view> documents, size_t top_k = 0,
                                   const RunOptions& options = {}) const;

 private:
  MultiVectorEmbedder(std::shared_ptr<const TextRunner> runner,
                      std::shared_ptr<const MultiVectorState> state)
      : TextModel(std::move(runner)), state_(std::move(state)) {}
  std::shared_ptr<const MultiVectorState> state_;
};

}  // namespace headway
