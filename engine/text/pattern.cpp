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

template <typename T, typename Ask>
std::vector<T> Pattern::for_each_node(T of_accept, Ask&& ask) const {
  std::vector<T> answers;
  answers.reserve(nodes_.size());
  const auto answer = [&](uint32_t node) { return node == kAccept ? of_accept : answers[node]; };
  for (const Node& node : nodes_) answers.push_back(ask(node, answer));
  return answers;
}

size_t Pattern::depth() const {
  const auto depths = for_each_node<size_t>(0, [](const Node& node, const auto& depth_of) {
    size_t most = node.kind == Kind::branch ? 0 : depth_of(node.next);
    for (const uint32_t other : node.alternatives) most = std::max(most, depth_of(other));
    return most + is_choice(node);
  });
  return depths.empty() ? 0 : *std::max_element(depths.begin(), depths.end());
}

bool Pattern::may_be_empty() const {
  const auto empty = for_each_node<uint8_t>(1, [](const Node& node, const auto& empty_of) {
    if (node.kind == Kind::branch)
      return std::any_of(node.alternatives.begin(), node.alternatives.end(), empty_of);
    return (node.kind == Kind::look_ahead || node.min == 0) && empty_of(node.next) != 0;
  });
  return std::any_of(starts_.begin(), starts_.end(),
                     [&](uint32_t start) { return start == kAccept || empty[start]; });
}

void Pattern::prepare() {
  for (CharClass& c : classes_) c.finish();
  for (unsigned char byte = 0; byte < 128; ++byte) {
    const auto may_start = for_each_node<uint8_t>(1, [&](const Node& node, const auto& of) {
      if (node.kind == Kind::branch)
        return std::any_of(node.alternatives.begin(), node.alternatives.end(), of);
      if (node.kind == Kind::look_ahead) return of(node.next) != 0;
      return classes_[node.char_class].contains(byte) || (node.min == 0 && of(node.next) != 0);
    });
    for (const uint32_t start : starts_)
      if (may_start[start]) starts_by_byte_[byte].push_back(start);
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
  if (const std::string& literal = pattern_.literal_; !literal.empty()) {
    const size_t begin = text_.find(literal, at_);
    if (begin == std::string_view::npos) return std::nullopt;
    at_ = begin + literal.size();
    return Match{begin, at_};
  }
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
    if (n.kind == Kind::chars) {
      if (is_choice(n)) return match_choice(n, search, at);
      const Run run = take_run(n, search, at);
      if (run.count < n.min) return kNoMatch;
      at = run.end;
      node = n.next;
      continue;
    }
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

Pattern::Run Pattern::take_run(const Node& node, Search& search, size_t at) const {
  const CharClass& char_class = classes_[node.char_class];
  const char* const end = search.text_.data() + search.text_.size();
  const char* p = search.text_.data() + at;
  uint32_t count = 0;
  for (const char* next = p; count < node.max && p < end; ++count, p = next)
    if (!char_class.contains(decode_utf8(next, end))) break;
  search.take(uint64_t{count} + 1);
  return {count, static_cast<size_t>(p - search.text_.data())};
}

size_t Pattern::match_choice(const Node& node, Search& search, size_t at) const {
  auto [count, run_end] = take_run(node, search, at);
  if (count < node.min) return kNoMatch;
  // A long run is given back character by character: most do not even start what follows.
  const Node* const follower = node.next == kAccept ? nullptr : &nodes_[node.next];
  const CharClass* const needed = follower && follower->kind == Kind::chars && follower->min > 0
                                      ? &classes_[follower->char_class]
                                      : nullptr;
  const char* const end = search.text_.data() + search.text_.size();
  const char* p = search.text_.data() + run_end;
  const auto may_follow = [&](const char* next) {
    return !needed || (next < end && needed->contains(decode_utf8(next, end)));
  };
  for (;; --count) {
    search.take(1);
    const size_t matched =
        may_follow(p) ? match(node.next, search, static_cast<size_t>(p - search.text_.data()))
                      : kNoMatch;
    if (matched != kNoMatch || count == node.min) return matched;
    do {
      --p;
    } while ((static_cast<unsigned char>(*p) & 0xC0) == 0x80);
  }
}

}  // namespace headway
