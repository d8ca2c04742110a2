// Matching: depth first, alternatives in order, repetitions greedy.
#include "engine/text/pattern.hpp"

#include <algorithm>

#include "engine/base/message.hpp"

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

bool Pattern::may_start(uint32_t node, unsigned char byte, std::vector<Known>& known) const {
  if (node == kAccept) return true;
  if (known[node] != Known::nothing) return known[node] == Known::yes;
  const Node& n = nodes_[node];
  const auto may = [&](uint32_t other) { return may_start(other, byte, known); };
  bool starts = false;
  switch (n.kind) {
    case Kind::chars:
      starts = classes_[n.char_class].contains(byte) || (n.min == 0 && may(n.next));
      break;
    case Kind::branch:
      starts = std::any_of(n.alternatives.begin(), n.alternatives.end(), may);
      break;
    case Kind::look_ahead:
      starts = may(n.next);
      break;
  }
  known[node] = starts ? Known::yes : Known::no;
  return starts;
}

bool Pattern::may_be_empty(uint32_t node, std::vector<Known>& known) const {
  if (node == kAccept) return true;
  if (known[node] != Known::nothing) return known[node] == Known::yes;
  const Node& n = nodes_[node];
  const auto may = [&](uint32_t other) { return may_be_empty(other, known); };
  const bool empty = n.kind == Kind::branch
                         ? std::any_of(n.alternatives.begin(), n.alternatives.end(), may)
                         : (n.kind == Kind::look_ahead || n.min == 0) && may(n.next);
  known[node] = empty ? Known::yes : Known::no;
  return empty;
}

void Pattern::prepare() {
  for (CharClass& c : classes_) c.finish();
  for (unsigned char byte = 0; byte < 128; ++byte) {
    std::vector<Known> known(nodes_.size());
    for (const uint32_t start : starts_)
      if (may_start(start, byte, known)) starts_by_byte_[byte].push_back(start);
  }
  starts_by_byte_[128] = starts_;
}

void Pattern::Search::take(uint64_t steps) {
  if (steps > steps_left_)
    fail(ErrorCode::limit, pattern_.name_, " tries more than ", kStepsPerByte,
         " steps for each byte of a text of ", text_.size(), " bytes");
  steps_left_ -= steps;
}

std::optional<Pattern::Match> Pattern::Search::next() {
  while (at_ < text_.size()) {
    const size_t begin = at_;
    const auto byte = static_cast<unsigned char>(text_[begin]);
    const auto& starts = pattern_.starts_by_byte_[std::min<size_t>(byte, 128)];
    const size_t end = pattern_.match_any(starts, *this, begin);
    if (end != kNoMatch) {
      at_ = end;
      return Match{begin, end};
    }
    do {
      ++at_;
    } while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0) == 0x80);
  }
  return std::nullopt;
}

size_t Pattern::match(uint32_t node, Search& search, size_t at) const {
  while (node != kAccept) {
    const Node& n = nodes_[node];
    if (n.kind == Kind::chars) return match_chars(n, search, at);
    const size_t end = match_any(n.alternatives, search, at);
    if (n.kind == Kind::branch) return end;
    if ((end != kNoMatch) == n.negative) return kNoMatch;
    node = n.next;
  }
  return at;
}

size_t Pattern::match_any(const std::vector<uint32_t>& nodes, Search& search, size_t at) const {
  search.take(nodes.size());
  for (const uint32_t node : nodes) {
    const size_t end = match(node, search, at);
    if (end != kNoMatch) return end;
  }
  return kNoMatch;
}

size_t Pattern::match_chars(const Node& node, Search& search, size_t at) const {
  const CharClass& char_class = classes_[node.char_class];
  const char* const begin = search.text_.data() + at;
  const char* const end = search.text_.data() + search.text_.size();
  const char* p = begin;
  uint32_t count = 0;
  for (const char* next = p; count < node.max && p < end; ++count, p = next)
    if (!char_class.contains(decode_utf8(next, end))) break;
  search.take(count + 1);
  if (count < node.min) return kNoMatch;
  const auto match_next = [&] {
    return match(node.next, search, at + static_cast<size_t>(p - begin));
  };
  if (node.possessive) return match_next();
  // A long run is given back character by character: most do not even start what follows.
  const Node* const follower = node.next == kAccept ? nullptr : &nodes_[node.next];
  const CharClass* const needed = follower && follower->kind == Kind::chars && follower->min > 0
                                      ? &classes_[follower->char_class]
                                      : nullptr;
  const auto may_follow = [&](const char* next) {
    return !needed || (next < end && needed->contains(decode_utf8(next, end)));
  };
  for (;; --count) {
    search.take(1);
    const size_t matched = may_follow(p) ? match_next() : kNoMatch;
    if (matched != kNoMatch || count == node.min) return matched;
    do {
      --p;
    } while ((static_cast<unsigned char>(*p) & 0xC0) == 0x80);
  }
}

}  // namespace headway
