// Texts to sparse vectors over the vocabulary: SPLADE (Formal et al., 2021).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "headway/text_model.hpp"

namespace headway {

// The numbers above 0 of one vector.
struct SparseVector {
  std::vector<int32_t> tokens;  // ids, ascending: Tokenizer::id_to_token says what they are
  std::vector<float> weights;   // of each
};

// A vector for each text.
struct SparseEmbeddings {
  std::vector<SparseVector> vectors;
  EmbedStats stats;
};

// The dot product.
HEADWAY_API double similarity(const SparseVector& a, const SparseVector& b);

// Opens directories as SparseEncoder of sentence-transformers reads them: a Transformer for
// fill-mask (or MLMTransformer), then SpladePooling by the maximum. Number t of a vector is the
// greatest log(1 + max(0, logit of t)) of a masked language model over the tokens of the text; with
// the activation log1p_relu once more log(1 + x) of that.
class HEADWAY_API SparseEmbedder : public TextModel {
 public:
  // Errors as Embedder::open.
  static SparseEmbedder open(const std::filesystem::path& directory,
                             const EmbedderOptions& options = {});

  // Of EmbedOptions the prompt counts.
  SparseEmbeddings embed(std::span<const std::string_view> texts, const RunOptions& options = {},
                         const EmbedOptions& chosen = {}) const;

 private:
  using TextModel::TextModel;
};

}  // namespace headway
