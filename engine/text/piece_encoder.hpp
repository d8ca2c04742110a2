// What a pipeline does to a piece of text between added tokens.
//
// There are two: ChainEncoder runs the steps of tokenizer.json one after the other; BertEncoder
// does what BERT's steps do in one pass, which is nearly three times as fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/model.hpp"
#include "engine/text/normalizers.hpp"

namespace headway {

// Working memory of one thread.
struct TextWorkspace {
  std::string word;                  // BertEncoder's
  std::string normalized;            // of the pipeline: the piece that is searched for added tokens
  std::string step;                  // between two normalizers
  std::string piece;                 // ChainEncoder's normalized piece
  std::vector<std::string> buffers;  // one for each pre-tokenizer
  NormalizerMemory normalizer;
  ModelMemory model;
};

// Where ids go, until there are enough.
class IdSink {
 public:
  // `enough`: the size of `ids` from which on nothing more is wanted.
  IdSink(std::vector<int32_t>& ids, size_t enough) : ids_(ids), enough_(enough) {}
  std::vector<int32_t>& ids() { return ids_; }
  bool full() const { return ids_.size() >= enough_; }

 private:
  std::vector<int32_t>& ids_;
  size_t enough_;
};

// A piece, and whether nothing of the caller's text stands before it.
struct TextPiece {
  std::string_view text;
  bool starts_text;
};

// Immutable; any thread may use it, with a workspace of its own.
class PieceEncoder {
 public:
  virtual ~PieceEncoder() = default;

  // Puts what the normalizers make of `text` into `out`.
  virtual void normalize(std::string_view text, TextWorkspace& workspace,
                         std::string& out) const = 0;
  // Appends the ids of a piece of the caller's text, or of a normalized one, until the sink is
  // full.
  virtual void encode_raw(TextPiece piece, TextWorkspace& workspace, IdSink& sink) const = 0;
  virtual void encode_normalized(TextPiece piece, TextWorkspace& workspace, IdSink& sink) const = 0;
  // Whether a piece that is cut before an ASCII space gives the same ids in two.
  virtual bool may_cut_at_spaces() const = 0;
};

struct TokenizerParts;

// The encoder for a tokenizer; refers to parts and model, which must not move.
std::unique_ptr<const PieceEncoder> make_piece_encoder(const TokenizerParts& parts,
                                                       const Model& model);

}  // namespace headway
