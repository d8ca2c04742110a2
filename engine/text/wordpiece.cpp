// Longest match first.
#include "engine/text/wordpiece.hpp"

#include <algorithm>

namespace headway {

void WordPiece::encode_any(std::string_view word, std::vector<int32_t>& ids) const {
  const auto starts_char = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  };
  const auto chars = static_cast<size_t>(std::count_if(word.begin(), word.end(), starts_char));
  chars > max_word_chars_ ? ids.push_back(unknown_) : encode(word, ids);
}

void WordPiece::encode_spans(std::string_view word, std::vector<int32_t>& ids,
                             std::vector<ByteSpan>& spans) const {
  const size_t before = ids.size();
  encode_any(word, ids);
  if (ids.size() - before == 1) return spans.push_back({0, word.size()});
  for (size_t i = before, end = 0; i < ids.size(); ++i) {
    const size_t begin = end;
    end += vocabulary_->token(ids[i])->size() - (i == before ? 0 : prefix_size_);
    spans.push_back({begin, end});
  }
}

void WordPiece::encode(std::string_view word, std::vector<int32_t>& ids) const {
  const size_t before = ids.size();
  uint32_t root = ByteTrie::kRoot;
  for (size_t start = 0; start < word.size();) {
    int32_t piece = -1;
    size_t end = start;
    uint32_t node = root;
    for (size_t at = start; at < word.size() && node != ByteTrie::kNone; ++at) {
      node = trie_->child(node, static_cast<unsigned char>(word[at]));
      if (node == ByteTrie::kNone) break;
      if (trie_->value(node) >= 0) {
        piece = trie_->value(node);
        end = at + 1;
      }
    }
    if (piece < 0) {  // one part without a piece makes the whole word unknown
      ids.resize(before);
      ids.push_back(unknown_);
      return;
    }
    ids.push_back(piece);
    start = end;
    root = continuation_;
  }
}

}  // namespace headway
