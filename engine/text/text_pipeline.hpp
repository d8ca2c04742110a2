// From a text to ids: added tokens, normalizer, pre-tokenizer and model in one pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/bert_words.hpp"
#include "engine/text/tokenizer_parts.hpp"
#include "engine/text/wordpiece.hpp"

namespace headway {

// Working memory of one thread.
struct TextWorkspace {
  std::string word;
  std::string normalized;
  MarkRun marks;
};

// Refers to the parts it was made from, which must not move. Immutable; any thread may use it, with
// a workspace of its own.
class TextPipeline {
 public:
  explicit TextPipeline(const TokenizerParts& parts);

  // Appends the ids of `text` until at least `enough` have come (or the text ends): everything
  // behind them is not looked at. No special tokens are put around it.
  void encode(std::string_view text, size_t enough, bool ignore_special, TextWorkspace& workspace,
              std::vector<int32_t>& ids) const;

 private:
  // What to do with an ASCII character; with clean_text a control character is dropped.
  enum class Ascii : uint8_t { word, space, punctuation, drop };

  void encode_piece(std::string_view piece, bool ignore_special, TextWorkspace& workspace,
                    BertWords& words, std::vector<int32_t>& ids) const;
  void encode_raw(std::string_view piece, MarkRun& marks, BertWords& words) const;
  static void encode_normalized(std::string_view piece, BertWords& words);

  const BertNormalizerOptions options_;
  WordPiece model_;
  AddedTokenPatterns raw_;         // looked for in the text
  AddedTokenPatterns normalized_;  // looked for in the normalized pieces between those
  std::array<Ascii, 128> ascii_;
  std::array<char, 128> ascii_mapped_;  // lowercase where asked for
};

}  // namespace headway
