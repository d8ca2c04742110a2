// What ChainEncoder does, for ids whose places are asked for.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/text/aligned_text.hpp"
#include "engine/text/piece_encoder.hpp"
#include "engine/text/placed_tokens.hpp"
#include "engine/text/tokenizer_parts.hpp"

namespace headway {

// A part of an aligned text.
struct AlignedPiece {
  std::string_view text;
  const ByteSpan* spans;  // of each byte of `text`
  bool starts_text;       // nothing of the caller's text stands before it
};

// The same steps with the same results, several times as slow and with memory of its own for each
// step, so that encoding without places knows nothing of them. Immutable; refers to what it was
// made from; any thread may use it, with a workspace of its own.
class SpanEncoder {
 public:
  SpanEncoder(const TokenizerParts& parts, const Model& model)
      : vocabulary_(parts.vocabulary), pre_tokenizers_(parts.pre_tokenizers), model_(model) {}

  // Appends the tokens of a normalized piece, until there are `enough`.
  void encode(AlignedPiece piece, size_t enough, TextWorkspace& workspace,
              std::vector<PlacedToken>& tokens) const;

 private:
  struct Output;
  bool pre_tokenize(size_t step, AlignedPiece piece, Output& output) const;
  bool split(const ByteLevelSplit& split, size_t step, AlignedPiece piece, Output& output) const;
  bool split(const Metaspace& metaspace, size_t step, AlignedPiece piece, Output& output) const;
  template <typename Split>
  bool split(const Split& split, size_t step, AlignedPiece piece, Output& output) const;
  bool put_word(AlignedPiece word, Output& output) const;

  const Vocabulary& vocabulary_;
  const std::vector<PreTokenizer>& pre_tokenizers_;
  const Model& model_;
};

}  // namespace headway
