// The steps of tokenizer.json, one after the other.
#pragma once

#include "engine/text/piece_encoder.hpp"
#include "engine/text/pre_tokenizers.hpp"

namespace headway {

// The normalizers rewrite the whole piece, one after the other. The pre-tokenizers hand on words as
// they find them, each to the next and the last to the model, so that little is cut in vain when
// the ids are enough early.
class ChainEncoder : public PieceEncoder {
 public:
  ChainEncoder(const TokenizerParts& parts, const Model& model);

  void normalize(std::string_view text, TextWorkspace& workspace, std::string& out) const override;
  void encode_raw(TextPiece piece, TextWorkspace& workspace, IdSink& sink) const override;
  void encode_normalized(TextPiece piece, TextWorkspace& workspace, IdSink& sink) const override;
  bool may_cut_at_spaces() const override { return false; }

 private:
  bool pre_tokenize(size_t step, TextPiece piece, TextWorkspace& workspace, IdSink& sink) const;

  const std::vector<Normalizer>& normalizers_;
  const std::vector<PreTokenizer>& pre_tokenizers_;
  const Model& model_;
};

}  // namespace headway
