// The labels of tokens become entities, as transformers' TokenClassificationPipeline does it
// (5.24).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headway/token_classifier.hpp"
#include "headway/tokenizer.hpp"

namespace headway {

// `encoding` of `text`, with offsets; `scores` [tokens, labels.size()], row-major, special tokens
// included.
std::vector<Entity> find_entities(const Tokenizer& tokenizer, std::string_view text,
                                  const Encoding& encoding, std::span<const float> scores,
                                  std::span<const std::string> labels,
                                  const EntityOptions& options);

}  // namespace headway
