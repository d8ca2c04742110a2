// Running the steps.
#include "engine/text/chain_encoder.hpp"

#include "engine/text/tokenizer_parts.hpp"
#include "engine/text/unicode.hpp"

namespace headway {

ChainEncoder::ChainEncoder(const TokenizerParts& parts, const Model& model)
    : normalizers_(parts.normalizers), pre_tokenizers_(parts.pre_tokenizers), model_(model) {}

void ChainEncoder::normalize(std::string_view text, TextWorkspace& workspace,
                             std::string& out) const {
  out.clear();
  append_valid_utf8(out, text);
  for (const Normalizer& normalizer : normalizers_) {
    workspace.step.swap(out);
    out.clear();
    std::visit([&](const auto& step) { step.apply(workspace.step, workspace.normalizer, out); },
               normalizer);
    workspace.normalizer.budget.take(out.size());
  }
}

void ChainEncoder::encode_raw(TextPiece piece, TextWorkspace& workspace, IdSink& sink) const {
  if (piece.text.empty()) return;
  if (normalizers_.empty() && is_utf8(piece.text)) return encode_normalized(piece, workspace, sink);
  normalize(piece.text, workspace, workspace.piece);
  encode_normalized({workspace.piece, piece.starts_text}, workspace, sink);
}

void ChainEncoder::encode_normalized(TextPiece piece, TextWorkspace& workspace,
                                     IdSink& sink) const {
  if (piece.text.empty()) return;
  if (workspace.buffers.size() < pre_tokenizers_.size())
    workspace.buffers.resize(pre_tokenizers_.size());
  pre_tokenize(0, piece, workspace, sink);
}

bool ChainEncoder::pre_tokenize(size_t step, TextPiece piece, TextWorkspace& workspace,
                                IdSink& sink) const {
  workspace.normalizer.budget.take(piece.text.size());
  if (step == pre_tokenizers_.size()) {
    model_.encode(piece.text, workspace.model, sink.ids());
    return !sink.full();
  }
  const PreTokenizerInput input{piece.text, piece.starts_text, workspace.buffers[step]};
  const auto next = [&](std::string_view part) {
    return pre_tokenize(step + 1, {part, false}, workspace, sink);
  };
  return std::visit([&](const auto& of_kind) { return of_kind.split(input, next); },
                    pre_tokenizers_[step]);
}

}  // namespace headway
