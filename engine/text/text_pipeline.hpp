// From a text to ids: added tokens are found, and what lies between them is encoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/text/added_tokens.hpp"
#include "engine/text/piece_encoder.hpp"
#include "engine/text/span_encoder.hpp"
#include "engine/text/tokenizer_parts.hpp"

namespace headway {

// Refers to the parts it was made from, which must not move. Immutable; any thread may use it, with
// a workspace of its own.
class TextPipeline {
 public:
  explicit TextPipeline(const TokenizerParts& parts);
  TextPipeline(const TextPipeline&) = delete;  // the encoders refer to the model

  // Appends the ids of `text` until at least `enough` have come (or the text ends): everything
  // behind them is not looked at. No special tokens are put around it.
  void encode(std::string_view text, size_t enough, bool ignore_special, TextWorkspace& workspace,
              std::vector<int32_t>& ids) const;
  // The same ids as tokens with their places.
  void encode_placed(std::string_view text, size_t enough, bool ignore_special,
                     TextWorkspace& workspace, std::vector<PlacedToken>& tokens) const;

 private:
  void encode_piece(TextPiece piece, bool ignore_special, TextWorkspace& workspace,
                    IdSink& sink) const;
  void encode_placed_piece(const AlignedText& piece, bool starts_text, size_t enough,
                           bool ignore_special, TextWorkspace& workspace,
                           std::vector<PlacedToken>& tokens) const;

  const TokenizerParts& parts_;
  Model model_;
  std::unique_ptr<const PieceEncoder> encoder_;
  SpanEncoder span_encoder_;
  AddedTokenPatterns raw_;         // looked for in the text
  AddedTokenPatterns normalized_;  // looked for in the normalized pieces between those
};

}  // namespace headway
