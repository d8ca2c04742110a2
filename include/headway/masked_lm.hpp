// Texts with gaps to the tokens that fill them: masked language models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headway/text_model.hpp"

namespace headway {

struct FilledToken {
  int32_t id = 0;
  std::string text;  // as Tokenizer::decode has it; empty for an id without a token
  float score = 0;   // probability, 0 to 1
};

struct FilledMasks {
  // For each text and each mask token in it the likeliest tokens, equal ones by their ids.
  std::vector<std::vector<std::vector<FilledToken>>> texts;
  EmbedStats stats;
};

// Opens directories as transformers' AutoModelForMaskedLM reads them. Scores are a softmax over the
// vocabulary, as its fill-mask pipeline has them; where a text has several masks, what fills one
// takes no account of what fills the others.
class HEADWAY_API MaskedLM : public TextModel {
 public:
  // Errors as Embedder::open; Error(unsupported) for a tokenizer without a `mask_token`.
  static MaskedLM open(const std::filesystem::path& directory, const EmbedderOptions& options = {});

  // The token that stands for a gap: "[MASK]", "<mask>".
  std::string_view mask_token() const;

  // Error(invalid_argument) naming the text for one that has no mask token before the limit, and
  // for a top_k that is not 1 to info().vocabulary. Texts beyond the limit are cut.
  FilledMasks fill_mask(std::span<const std::string_view> texts, size_t top_k = 5,
                        const RunOptions& options = {}) const;

 private:
  using TextModel::TextModel;
};

}  // namespace headway
