// Texts are encoded, cut, trimmed and put between the special tokens, in the reference's order.
#include "engine/text/offset_encoding.hpp"

#include <array>
#include <span>
#include <vector>

#include "engine/text/truncation.hpp"

namespace headway {

Encoding encode_with_offsets(const TokenizerParts& parts, const TextPipeline& pipeline,
                             TextWorkspace& workspace,
                             std::initializer_list<std::string_view> texts,
                             const EncodeOptions& options) {
  const PostProcessor& around = parts.post_processor;
  const bool pair = texts.size() == 2;
  if (pair) check_pair_template(parts);
  const size_t room = room_for_texts(
      pair ? around.pair_special_tokens() : count_special_tokens(around.single), options);
  const bool left = options.side.value_or(parts.truncation_side) == TruncationSide::left;

  std::array<std::vector<PlacedToken>, 2> tokens;
  for (size_t i = 0; i < texts.size(); ++i)
    pipeline.encode_placed(texts.begin()[i],
                           left || pair ? EncodeOptions::kNoLimit : one_more(room),
                           options.encode_special_tokens, workspace, tokens[i]);
  Encoding encoding;
  encoding.truncated = tokens[0].size() > room || tokens[1].size() > room - tokens[0].size();
  if (encoding.truncated && !pair && room > 0) refuse_only_second(options);
  const PairLengths kept =
      truncate_pair({tokens[0].size(), tokens[1].size()}, room, options.strategy);
  for (const auto& [text, count] : {std::pair(0, kept.first), std::pair(1, kept.second)}) {
    std::vector<PlacedToken>& all = tokens[static_cast<size_t>(text)];
    if (left) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(count));
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
  }
  for (const OffsetTrim& trim : around.trims)
    for (size_t i = 0; i < texts.size(); ++i)
      trim_offsets(texts.begin()[i], trim.add_prefix_space, trim.at_start[i], tokens[i]);

  const auto append = [&](const PostTemplate& pieces) {
    for (const TemplatePiece& piece : pieces) {
      const size_t before = encoding.ids.size();
      if (piece.kind != TemplatePiece::Kind::special) {
        const int32_t text = piece.kind == TemplatePiece::Kind::first ? 0 : 1;
        for (const PlacedToken& token : tokens[static_cast<size_t>(text)]) {
          encoding.ids.push_back(token.id);
          encoding.offsets.push_back({token.span.begin, token.span.end, text});
        }
      } else if (options.add_special_tokens) {
        encoding.ids.push_back(piece.id);
        encoding.offsets.emplace_back();
      }
      if (pair)
        encoding.type_ids.insert(encoding.type_ids.end(), encoding.ids.size() - before,
                                 piece.type_id);
    }
  };
  if (pair) {
    append(around.pair[0]);
    append(around.pair[1]);
  } else {
    append(around.single);
  }
  return encoding;
}

}  // namespace headway
