// Texts are encoded, cut, trimmed and put between the special tokens, in the reference's order.
#include "engine/text/encodings.hpp"

#include <array>
#include <span>
#include <vector>

#include "engine/text/truncation.hpp"

namespace headway {
namespace {

// The tokens of one text or two, and what becomes of them.
class Encoder {
 public:
  Encoder(const TokenizerParts& parts, std::initializer_list<std::string_view> texts,
          const EncodeOptions& options)
      : parts_(parts), texts_(texts), options_(options), pair_(texts.size() == 2) {
    const PostProcessor& around = parts.post_processor;
    if (pair_) check_pair_template(parts);
    room_ = room_for_texts(
        pair_ ? around.pair_special_tokens() : count_special_tokens(around.single), options);
  }

  TruncationSide side() const { return options_.side.value_or(parts_.truncation_side); }
  bool pair() const { return pair_; }
  // So many tokens of a text show all that encode() needs to know.
  size_t enough() const {
    return side() == TruncationSide::left || pair_ ? EncodeOptions::kNoLimit : one_more(room_);
  }

  // Reads the tokens and says how many of each text stay.
  PairLengths read(const TextPipeline& pipeline, TextWorkspace& workspace, size_t enough) {
    for (size_t i = 0; i < texts_.size(); ++i) {
      const std::string_view text = texts_.begin()[i];
      if (options_.offsets) {
        pipeline.encode_placed(text, enough, options_.encode_special_tokens, workspace, tokens_[i]);
        continue;
      }
      std::vector<int32_t> ids;
      pipeline.encode(text, enough, options_.encode_special_tokens, workspace, ids);
      for (const int32_t id : ids) tokens_[i].push_back({id, {}, 0, 0});
    }
    const auto [first, second] = lengths();
    truncated_ = first > room_ || second > room_ - first;
    if (truncated_ && !pair_ && room_ > 0) refuse_only_second(options_);
    return truncate_pair(lengths(), room_, options_.strategy);
  }

  PairLengths lengths() const { return {tokens_[0].size(), tokens_[1].size()}; }

  // A window of each text, and what stands around them. `later`: it is not the text's first.
  Encoding put_together(const std::array<TokenRange, 2>& windows,
                        const std::array<bool, 2>& later) const {
    std::array<std::vector<PlacedToken>, 2> tokens;
    for (size_t i = 0; i < texts_.size(); ++i) {
      const auto all = tokens_[i].begin();
      tokens[i].assign(all + static_cast<std::ptrdiff_t>(windows[i].begin),
                       all + static_cast<std::ptrdiff_t>(windows[i].end));
      if (!options_.offsets) continue;
      for (const OffsetTrim& trim : parts_.post_processor.trims)
        trim_offsets(texts_.begin()[i], trim.add_prefix_space, trim.at_start[i], tokens[i]);
    }
    Encoding encoding;
    encoding.truncated = truncated_;
    const PostProcessor& around = parts_.post_processor;
    if (!pair_) {
      append(around.single, tokens, later, encoding);
    } else {
      for (const PostTemplate& pieces : around.pair) append(pieces, tokens, later, encoding);
    }
    return encoding;
  }

 private:
  void append(const PostTemplate& pieces, const std::array<std::vector<PlacedToken>, 2>& tokens,
              const std::array<bool, 2>& later, Encoding& encoding) const {
    for (const TemplatePiece& piece : pieces) {
      const size_t before = encoding.ids.size();
      if (piece.kind != TemplatePiece::Kind::special) {
        const int32_t text = piece.kind == TemplatePiece::Kind::first ? 0 : 1;
        for (const PlacedToken& token : tokens[static_cast<size_t>(text)]) {
          encoding.ids.push_back(token.id);
          if (options_.offsets)
            encoding.offsets.push_back({token.span.begin, token.span.end, text});
        }
      } else if (options_.add_special_tokens) {
        encoding.ids.push_back(piece.id);
        if (options_.offsets) encoding.offsets.emplace_back();
      }
      if (pair_)
        encoding.type_ids.insert(encoding.type_ids.end(), encoding.ids.size() - before,
                                 type_of(piece, later));
    }
  }

  int32_t type_of(const TemplatePiece& piece, const std::array<bool, 2>& later) const {
    if (piece.text < 0 || !later[static_cast<size_t>(piece.text)]) return piece.type_id;
    return options_.add_special_tokens ? piece.later_type_id : piece.text;
  }

  const TokenizerParts& parts_;
  std::initializer_list<std::string_view> texts_;
  const EncodeOptions& options_;
  bool pair_;
  size_t room_;
  std::array<std::vector<PlacedToken>, 2> tokens_;
  bool truncated_ = false;
};

// Which text of a pair comes first in what is put together.
size_t first_in_template(const PostProcessor& around) {
  for (const PostTemplate& pieces : around.pair)
    for (const TemplatePiece& piece : pieces)
      if (piece.kind != TemplatePiece::Kind::special)
        return piece.kind == TemplatePiece::Kind::first ? 0 : 1;
  return 0;
}

}  // namespace

Encoding encode_with_offsets(const TokenizerParts& parts, const TextPipeline& pipeline,
                             TextWorkspace& workspace,
                             std::initializer_list<std::string_view> texts,
                             const EncodeOptions& options) {
  Encoder encoder(parts, texts, options);
  const PairLengths kept = encoder.read(pipeline, workspace, encoder.enough());
  const auto [first, second] = encoder.lengths();
  return encoder.put_together({first_window(first, kept.first, encoder.side()),
                               first_window(second, kept.second, encoder.side())},
                              {false, false});
}

std::vector<Encoding> encode_in_windows(const TokenizerParts& parts, const TextPipeline& pipeline,
                                        TextWorkspace& workspace,
                                        std::initializer_list<std::string_view> texts,
                                        size_t stride, const EncodeOptions& options) {
  Encoder encoder(parts, texts, options);
  const PairLengths kept = encoder.read(pipeline, workspace, EncodeOptions::kNoLimit);
  const auto [first, second] = encoder.lengths();
  const std::array<std::vector<TokenRange>, 2> windows = {
      cut_windows(first, kept.first, stride, encoder.side()),
      cut_windows(second, kept.second, stride, encoder.side())};
  const size_t outer = encoder.pair() ? first_in_template(parts.post_processor) : 0;
  std::vector<Encoding> encodings;
  const auto add = [&](size_t of_outer, size_t of_inner) {
    std::array<TokenRange, 2> chosen;
    std::array<bool, 2> later;
    chosen[outer] = windows[outer][of_outer];
    chosen[1 - outer] = windows[1 - outer][of_inner];
    later[outer] = of_outer > 0;
    later[1 - outer] = of_inner > 0;
    encodings.push_back(encoder.put_together(chosen, later));
  };
  // The reference's order: the first of both, the others of the one that comes first, each with all
  // of the other's, and last the first of the one with the others of the other.
  add(0, 0);
  for (size_t i = 1; i < windows[outer].size(); ++i)
    for (size_t j = 0; j < windows[1 - outer].size(); ++j) add(i, j);
  for (size_t j = 1; j < windows[1 - outer].size(); ++j) add(0, j);
  return encodings;
}

}  // namespace headway
