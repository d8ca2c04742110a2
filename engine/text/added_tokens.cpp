// Matching added tokens.
#include "engine/text/added_tokens.hpp"

#include <algorithm>
#include <cstring>

#include "engine/text/unicode.hpp"

namespace headway {
namespace {

bool is_word(char32_t c) {
  return (char_record(c).flags & kCharWord) != 0;
}
bool is_space(char32_t c) {
  return (char_record(c).flags & kCharSpace) != 0;
}

}  // namespace

bool AddedTokenPatterns::add(std::string_view pattern, const AddedToken& token) {
  if (!trie_.insert(pattern, static_cast<int32_t>(tokens_.size()))) return false;
  tokens_.push_back(token);
  const auto byte = static_cast<unsigned char>(pattern[0]);
  if (!first_[byte]) {
    first_[byte] = true;
    ++first_count_;
    any_first_ = byte;
  }
  return true;
}

size_t AddedTokenScan::find_start(size_t from, size_t limit) const {
  if (patterns_.first_count_ == 1) {  // BERT's own tokens all start with '['
    const void* found = std::memchr(text_.data() + from, patterns_.any_first_, limit - from);
    return found ? static_cast<size_t>(static_cast<const char*>(found) - text_.data()) : limit;
  }
  while (from < limit && !patterns_.first_[static_cast<unsigned char>(text_[from])]) ++from;
  return from;
}

std::optional<AddedTokenScan::Match> AddedTokenScan::next(size_t limit) {
  if (patterns_.empty()) return std::nullopt;
  const ByteTrie& trie = patterns_.trie_;
  while (position_ < limit) {
    size_t start = find_start(position_, limit);
    size_t stop = 0;
    int32_t index = -1;
    uint32_t node = ByteTrie::kRoot;
    for (size_t at = start; start < limit && at < text_.size(); ++at) {
      node = trie.child(node, static_cast<unsigned char>(text_[at]));
      if (node == ByteTrie::kNone) break;
      if (trie.value(node) >= 0) {
        index = trie.value(node);
        stop = at + 1;
      }
    }
    if (index < 0) {
      position_ = std::min(start + 1, limit);
      continue;
    }
    // A match that is thrown away still uses its text up, as in the reference.
    position_ = stop;
    const AddedToken& token = patterns_.tokens_[index];
    if (token.special && ignore_special_) continue;
    if (token.single_word) {
      const char* p = text_.data() + stop;
      const char* end = text_.data() + text_.size();
      if (start > 0 && is_word(decode_utf8_before(text_.data(), text_.data() + start))) continue;
      if (p < end && is_word(decode_utf8(p, end))) continue;
    }
    if (token.lstrip) start = std::max(skip_spaces_back(start, last_stop_), last_stop_);
    if (token.rstrip) stop = skip_spaces(stop);
    last_stop_ = stop;
    return Match{start, stop, token.id};
  }
  return std::nullopt;
}

size_t AddedTokenScan::skip_spaces_back(size_t from, size_t floor) const {
  while (from > floor) {
    const char* p = text_.data() + from;
    const char32_t c = decode_utf8_before(text_.data() + floor, p);
    if (!is_space(c)) break;
    from -= c < 0x80 ? 1 : c < 0x800 ? 2 : 3;  // all whitespace lies below U+10000
  }
  return from;
}

size_t AddedTokenScan::skip_spaces(size_t from) {
  if (from >= spaces_begin_ && from < spaces_end_) return spaces_end_;
  const char* const end = text_.data() + text_.size();
  const char* stop = text_.data() + from;
  for (const char* p = stop; p < end; stop = p)
    if (!is_space(decode_utf8(p, end))) break;
  spaces_begin_ = from;
  spaces_end_ = static_cast<size_t>(stop - text_.data());
  return spaces_end_;
}

}  // namespace headway
