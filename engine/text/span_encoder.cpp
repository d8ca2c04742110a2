// Each pre-tokenizer on an aligned text. Those that only cut hand on parts of it.
#include "engine/text/span_encoder.hpp"

#include <algorithm>

#include "engine/text/byte_alphabet.hpp"

namespace headway {

struct SpanEncoder::Output {
  size_t enough;
  TextWorkspace& workspace;
  std::vector<PlacedToken>& tokens;
  std::string buffer;
  std::vector<int32_t> ids;
  std::vector<ByteSpan> spans;
};

void SpanEncoder::encode(AlignedPiece piece, size_t enough, TextWorkspace& workspace,
                         std::vector<PlacedToken>& tokens) const {
  Output output{enough, workspace, tokens, {}, {}, {}};
  if (!piece.text.empty()) pre_tokenize(0, piece, output);
}

bool SpanEncoder::pre_tokenize(size_t step, AlignedPiece piece, Output& output) const {
  output.workspace.normalizer.budget.take(piece.text.size());
  if (step == pre_tokenizers_.size()) return put_word(piece, output);
  return std::visit([&](const auto& of_kind) { return split(of_kind, step, piece, output); },
                    pre_tokenizers_[step]);
}

template <typename Split>
bool SpanEncoder::split(const Split& split, size_t step, AlignedPiece piece, Output& output) const {
  const PreTokenizerInput input{piece.text, piece.starts_text, output.buffer};
  return split.split(input, [&](std::string_view part) {
    return pre_tokenize(step + 1, {part, piece.spans + (part.data() - piece.text.data()), false},
                        output);
  });
}

bool SpanEncoder::split(const ByteLevelSplit& split, size_t step, AlignedPiece piece,
                        Output& output) const {
  AlignedText text;
  if (split.add_prefix_space && piece.text[0] != ' ') text.put(U' ', piece.spans[0]);
  text.text += piece.text;
  text.spans.insert(text.spans.end(), piece.spans, piece.spans + piece.text.size());
  const auto rewrite = [&](std::string_view part) {
    AlignedText bytes;
    const auto begin = static_cast<size_t>(part.data() - text.text.data());
    for (size_t i = 0; i < part.size(); ++i)
      bytes.put(kByteAlphabet[static_cast<unsigned char>(part[i])], text.spans[begin + i]);
    return pre_tokenize(step + 1, {bytes.text, bytes.spans.data(), false}, output);
  };
  if (!split.pattern) return rewrite(text.text);
  return split_pattern(*split.pattern, text.text, Delimiters::isolated, false, rewrite);
}

bool SpanEncoder::split(const Metaspace& metaspace, size_t step, AlignedPiece piece,
                        Output& output) const {
  AlignedText text;
  if (metaspace.prepends(piece.text, piece.starts_text))
    text.put(metaspace.replacement, piece.spans[0]);
  for (size_t i = 0; i < piece.text.size(); ++i) {
    const bool space = piece.text[i] == ' ';
    text.put(space ? std::string_view(metaspace.replacement) : piece.text.substr(i, 1),
             piece.spans[i]);
  }
  const auto next = [&](std::string_view part) {
    const auto begin = part.data() - text.text.data();
    return pre_tokenize(step + 1, {part, text.spans.data() + begin, false}, output);
  };
  return metaspace.split_rewritten(text.text, next);
}

bool SpanEncoder::put_word(AlignedPiece word, Output& output) const {
  output.ids.clear();
  output.spans.clear();
  model_.encode_spans(word.text, output.workspace.model, output.ids, output.spans);
  const size_t last = word.text.size() - 1;
  for (size_t i = 0; i < output.ids.size(); ++i) {
    const ByteSpan of_word = output.spans[i];
    const ByteSpan span{word.spans[std::min(of_word.begin, last)].begin,
                        word.spans[std::min(std::max<size_t>(of_word.end, 1) - 1, last)].end};
    const int32_t id = output.ids[i];
    const std::string_view text = model_.stands_for_itself(id)
                                      ? word.text.substr(of_word.begin, of_word.end - of_word.begin)
                                      : *vocabulary_.token(id);
    output.tokens.push_back(place_token(id, text, span));
  }
  return output.tokens.size() < output.enough;
}

}  // namespace headway
