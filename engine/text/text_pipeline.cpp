// The search for added tokens, in step with the encoding.
#include "engine/text/text_pipeline.hpp"

#include <algorithm>

#include "engine/base/message.hpp"
#include "engine/text/aligned_normalizers.hpp"
#include "engine/text/bert_encoder.hpp"
#include "engine/text/chain_encoder.hpp"

namespace headway {
namespace {

// How far the search for added tokens runs ahead of the words: what is searched is in the L1 cache
// when the words are read, and little is searched in vain when the ids are enough early.
constexpr size_t kWindow = 4096;

// [begin, end) of a text; nothing when a token that took whitespace along has gone past `end`.
TextPiece between(TextPiece text, size_t begin, size_t end) {
  return {begin < end ? text.text.substr(begin, end - begin) : std::string_view(),
          text.starts_text && begin == 0};
}

}  // namespace

std::unique_ptr<const PieceEncoder> make_piece_encoder(const TokenizerParts& parts,
                                                       const Model& model) {
  const auto* word_piece = std::get_if<WordPieceOptions>(&parts.model);
  const bool bert_words = parts.pre_tokenizers.size() == 1 &&
                          std::holds_alternative<BertWordSplit>(parts.pre_tokenizers[0]);
  if (word_piece && bert_words) {
    if (parts.normalizers.empty())
      return std::make_unique<BertEncoder>(parts.vocabulary, BertNormalizerOptions(), *word_piece);
    const auto* bert = std::get_if<BertNormalization>(&parts.normalizers[0]);
    if (bert && parts.normalizers.size() == 1)
      return std::make_unique<BertEncoder>(parts.vocabulary, bert->options, *word_piece);
  }
  return std::make_unique<ChainEncoder>(parts, model);
}

TextPipeline::TextPipeline(const TokenizerParts& parts)
    : parts_(parts),
      model_(parts.vocabulary, parts.model),
      encoder_(make_piece_encoder(parts, model_)),
      span_encoder_(parts, model_) {
  TextWorkspace workspace;
  for (const AddedToken& token : parts.added_tokens) {
    std::string pattern = token.content;
    workspace.normalizer.budget = WorkBudget(token.content.size());
    if (token.normalized) encoder_->normalize(token.content, workspace, pattern);
    if (pattern.empty())
      fail(ErrorCode::format, parts.file, ": added token \"", token.content,
           "\": nothing is left of it when it is normalized");
    if (!(token.normalized ? normalized_ : raw_).add(pattern, token))
      fail(ErrorCode::format, parts.file, ": added token \"", token.content,
           "\": another one normalizes to \"", pattern, "\" as well");
  }
}

void TextPipeline::encode(std::string_view text, size_t enough, bool ignore_special,
                          TextWorkspace& workspace, std::vector<int32_t>& ids) const {
  workspace.word.clear();  // an exception may have left something
  workspace.normalizer.marks.clear();
  workspace.normalizer.budget = WorkBudget(text.size());
  IdSink sink(ids, enough);
  AddedTokenScan scan(raw_, text, ignore_special);
  const TextPiece whole{text, true};
  // What lies before a space can be encoded before the rest is searched, where spaces part. Tokens
  // in normalized text may contain them.
  const bool windows = normalized_.empty() && encoder_->may_cut_at_spaces();
  const size_t window = windows ? kWindow : text.size();
  size_t done = 0, searched = 0, limit = std::min(window, text.size());
  while (!sink.full()) {
    if (const auto match = scan.next(limit)) {
      encode_piece(between(whole, done, match->start), ignore_special, workspace, sink);
      if (sink.full()) return;
      ids.push_back(match->id);
      done = match->stop;
      continue;
    }
    if (limit == text.size())
      return encode_piece(between(whole, done, limit), ignore_special, workspace, sink);
    const size_t from = std::max(done, searched);
    const std::string_view searchable = between(whole, from, limit).text;
    if (const size_t space = searchable.rfind(' '); space != std::string_view::npos) {
      encode_piece(between(whole, done, from + space), ignore_special, workspace, sink);
      done = from + space;
    }
    searched = limit;
    limit = std::min(limit + window, text.size());
  }
}

void TextPipeline::encode_piece(TextPiece piece, bool ignore_special, TextWorkspace& workspace,
                                IdSink& sink) const {
  if (normalized_.empty()) return encoder_->encode_raw(piece, workspace, sink);
  encoder_->normalize(piece.text, workspace, workspace.normalized);
  const TextPiece text{workspace.normalized, piece.starts_text};
  AddedTokenScan scan(normalized_, text.text, ignore_special);
  size_t done = 0;
  while (const auto match = scan.next(text.text.size())) {
    encoder_->encode_normalized(between(text, done, match->start), workspace, sink);
    if (sink.full()) return;
    sink.ids().push_back(match->id);
    done = match->stop;
    if (sink.full()) return;
  }
  encoder_->encode_normalized(between(text, done, text.text.size()), workspace, sink);
}

void TextPipeline::encode_placed(std::string_view text, size_t enough, bool ignore_special,
                                 TextWorkspace& workspace, std::vector<PlacedToken>& tokens) const {
  workspace.normalizer.budget = WorkBudget(text.size());
  AddedTokenScan scan(raw_, text, ignore_special);
  AlignedText piece;
  for (size_t done = 0; tokens.size() < enough;) {
    const auto match = scan.next(text.size());
    const std::string_view before =
        between({text, true}, done, match ? match->start : text.size()).text;
    normalize_aligned(parts_.normalizers, before, done, workspace.normalizer.budget, piece);
    encode_placed_piece(piece, done == 0, enough, ignore_special, workspace, tokens);
    if (!match || tokens.size() >= enough) return;
    const ByteSpan span{match->start, match->stop};
    tokens.push_back(place_token(match->id, text.substr(span.begin, span.end - span.begin), span));
    done = match->stop;
  }
}

void TextPipeline::encode_placed_piece(const AlignedText& piece, bool starts_text, size_t enough,
                                       bool ignore_special, TextWorkspace& workspace,
                                       std::vector<PlacedToken>& tokens) const {
  const auto encode = [&](size_t begin, size_t end) {
    const std::string_view part = between({piece.text, true}, begin, end).text;
    span_encoder_.encode({part, piece.spans.data() + begin, starts_text && begin == 0}, enough,
                         workspace, tokens);
  };
  AddedTokenScan scan(normalized_, piece.text, ignore_special);
  size_t done = 0;
  while (const auto match = scan.next(piece.text.size())) {
    encode(done, match->start);
    if (tokens.size() >= enough) return;
    const ByteSpan span{piece.spans[match->start].begin, piece.spans[match->stop - 1].end};
    tokens.push_back(place_token(
        match->id, std::string_view(piece.text).substr(match->start, match->stop - match->start),
        span));
    done = match->stop;
    if (tokens.size() >= enough) return;
  }
  encode(done, piece.text.size());
}

}  // namespace headway
