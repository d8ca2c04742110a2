// Which tokens of a text have a vector: the module MultiVectorMask.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/embed/pipeline.hpp"
#include "headway/tokenizer.hpp"

namespace headway {

enum class TextKind { query, document };

// Immutable. The default keeps all.
class TokenMask {
 public:
  TokenMask() = default;
  // Skips those of `words` that are tokens, of documents.
  TokenMask(const std::vector<std::string>& words, const Tokenizer& tokenizer);
  // Reads the module's config.json: skiplist_words, of which those count that are tokens,
  // skiplist_tasks and keep_only_token_ids. Error(format) naming file and field.
  TokenMask(const Module& module, const Tokenizer& tokenizer);

  bool keeps(int32_t id, TextKind kind) const;

 private:
  void skip(std::string_view word, const Tokenizer& tokenizer);

  std::vector<int32_t> skipped_;    // ascending
  std::vector<int32_t> kept_only_;  // ascending, of documents; empty: all
  bool skips_queries_ = false, skips_documents_ = true;
};

}  // namespace headway
