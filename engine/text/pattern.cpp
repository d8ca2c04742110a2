// Matching: depth first, alternatives in order, repetitions greedy.
#include "engine/text/pattern.hpp"

#include <algorithm>

namespace headway {

void CharClass::add_range(char32_t first, char32_t last) {
  ranges_.emplace_back(first, last);
}

bool CharClass::has_range(char32_t c) const {
  return std::find(ranges_.begin(), ranges_.end(), std::pair(c, c)) != ranges_.end();
}

bool CharClass::contains_beyond(char32_t c) const {
  if (categories_ >> char_record(c).category & 1) return true;
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [c](const auto& range) { return range.first <= c && c <= range.second; });
}

void CharClass::finish() {
  for (char32_t c = 0; c < 128; ++c)
    if (contains_beyond(c) != negated_) ascii_[c / 64] |= uint64_t{1} << c % 64;
  std::erase_if(ranges_, [](const auto& range) { return range.second < 128; });
}

bool Pattern::may_start(uint32_t node, unsigned char byte) const {
  if (node == kAccept) return true;
  const Node& n = nodes_[node];
  switch (n.kind) {
    case Kind::chars:
      return classes_[n.char_class].contains(byte) || (n.min == 0 && may_start(n.next, byte));
    case Kind::branch:
      return std::any_of(n.alternatives.begin(), n.alternatives.end(),
                         [&](uint32_t alternative) { return may_start(alternative, byte); });
    case Kind::look_ahead:
      return may_start(n.next, byte);
  }
  return true;
}

bool Pattern::may_be_empty(uint32_t node) const {
  if (node == kAccept) return true;
  const Node& n = nodes_[node];
  if (n.kind == Kind::branch)
    return std::any_of(n.alternatives.begin(), n.alternatives.end(),
                       [&](uint32_t alternative) { return may_be_empty(alternative); });
  return (n.kind == Kind::look_ahead || n.min == 0) && may_be_empty(n.next);
}

void Pattern::prepare() {
  for (CharClass& c : classes_) c.finish();
  for (unsigned char byte = 0; byte < 128; ++byte)
    for (const uint32_t start : starts_)
      if (may_start(start, byte)) starts_by_byte_[byte].push_back(start);
  starts_by_byte_[128] = starts_;
}

std::optional<Pattern::Match> Pattern::find(std::string_view text, size_t from) const {
  for (size_t at = from; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const size_t end = match_any(starts_by_byte_[std::min<size_t>(byte, 128)], text, at);
    if (end != kNoMatch) return Match{at, end};
    do {
      ++at;
    } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  }
  return std::nullopt;
}

size_t Pattern::match(uint32_t node, std::string_view text, size_t at) const {
  while (node != kAccept) {
    const Node& n = nodes_[node];
    if (n.kind == Kind::chars) return match_chars(n, text, at);
    const size_t end = match_any(n.alternatives, text, at);
    if (n.kind == Kind::branch) return end;
    if ((end != kNoMatch) == n.negative) return kNoMatch;
    node = n.next;
  }
  return at;
}

size_t Pattern::match_any(const std::vector<uint32_t>& nodes, std::string_view text,
                          size_t at) const {
  for (const uint32_t node : nodes) {
    const size_t end = match(node, text, at);
    if (end != kNoMatch) return end;
  }
  return kNoMatch;
}

size_t Pattern::match_chars(const Node& node, std::string_view text, size_t at) const {
  const CharClass& char_class = classes_[node.char_class];
  const char* const begin = text.data() + at;
  const char* const end = text.data() + text.size();
  const char* p = begin;
  uint32_t count = 0;
  for (const char* next = p; count < node.max && p < end; ++count, p = next)
    if (!char_class.contains(decode_utf8(next, end))) break;
  if (count < node.min) return kNoMatch;
  if (node.possessive) return match(node.next, text, at + static_cast<size_t>(p - begin));
  // A long run is given back character by character: most do not even start what follows.
  const Node* const follower = node.next == kAccept ? nullptr : &nodes_[node.next];
  const CharClass* const needed = follower && follower->kind == Kind::chars && follower->min > 0
                                      ? &classes_[follower->char_class]
                                      : nullptr;
  const auto may_follow = [&](const char* next) {
    return !needed || (next < end && needed->contains(decode_utf8(next, end)));
  };
  for (;; --count) {
    const size_t matched =
        !may_follow(p) ? kNoMatch : match(node.next, text, at + static_cast<size_t>(p - begin));
    if (matched != kNoMatch || count == node.min) return matched;
    do {
      --p;
    } while ((static_cast<unsigned char>(*p) & 0xC0) == 0x80);
  }
}

}  // namespace headway
