// A text that remembers where each of its bytes comes from.
//
// Encoding with offsets runs the same steps as ChainEncoder, each on such a text, and moves the
// places along as the Rust library `tokenizers` 0.23.3 does (tokenizer/normalizer.rs).
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/unicode.hpp"

namespace headway {

// Bytes of the caller's text.
struct ByteSpan {
  size_t begin, end;
};

struct AlignedText {
  std::string text;             // valid UTF-8
  std::vector<ByteSpan> spans;  // of each byte, that of its character

  void clear() {
    text.clear();
    spans.clear();
  }
  void put(char32_t c, ByteSpan span) {
    append_utf8(text, c);
    spans.resize(text.size(), span);
  }
  void put(std::string_view characters, ByteSpan span) {
    text += characters;
    spans.resize(text.size(), span);
  }
  // Calls put(character, its span) for each character.
  template <typename Put>
  void for_each(Put&& put) const {
    const char* const end = text.data() + text.size();
    for (const char* p = text.data(); p < end;) {
      const ByteSpan span = spans[static_cast<size_t>(p - text.data())];
      put(decode_utf8(p, end), span);
    }
  }
};

// Fills a text with the characters that replace those of another, in order.
class Alignment {
 public:
  Alignment(const AlignedText& from, AlignedText& to) : from_(from), to_(to) {}

  // `change` as in the reference: 1 (or more) for a character that is new and belongs to the one
  // before; 0 for one that replaces the next of `from`; -n if n more vanish behind that.
  void put(char32_t c, int change) {
    const bool added = change > 0;
    const size_t place = added && at_ > 0 ? at_ - 1 : at_;
    // Beyond the last one nothing is left to stand for; from_ is not empty when c comes from it.
    const ByteSpan span = from_.spans[std::min(place, from_.spans.size() - 1)];
    to_.put(c, added && at_ == 0 ? ByteSpan{span.begin, span.begin} : span);
    for (int i = change; !added && i <= 0; ++i) skip();
  }

 private:
  void skip() {
    const char* p = from_.text.data() + at_;
    const char* const end = from_.text.data() + from_.text.size();
    if (p < end) decode_utf8(p, end);
    at_ = static_cast<size_t>(p - from_.text.data());
  }

  const AlignedText& from_;
  AlignedText& to_;
  size_t at_ = 0;  // the next byte to be replaced
};

}  // namespace headway
