// Counting spaces, and stepping over as many characters of the text.
#include "engine/text/placed_tokens.hpp"

#include <algorithm>
#include <optional>

#include "engine/text/byte_alphabet.hpp"

namespace headway {
namespace {

bool is_space(char32_t c) {
  return c == kByteAlphabet[' '] || (char_record(c).flags & kCharSpace) != 0;
}

// The place of the character that ends at `at` (above 0); a byte that is part of none is its own.
size_t character_before(std::string_view text, size_t at) {
  for (size_t back = std::min<size_t>(at, 4); back > 1; --back) {
    const char* p = text.data() + at - back;
    decode_utf8(p, text.data() + at);
    if (p == text.data() + at) return at - back;
  }
  return at - 1;
}

}  // namespace

PlacedToken place_token(int32_t id, std::string_view text, ByteSpan span) {
  PlacedToken token{id, span, 0, 0};
  const char* const end = text.data() + text.size();
  bool before = true;
  for (const char* p = text.data(); p < end;) {
    const bool space = is_space(decode_utf8(p, end));
    before = before && space;
    token.spaces_before += before;
    token.spaces_after = space ? token.spaces_after + 1 : 0;
  }
  return token;
}

void trim_offsets(std::string_view text, bool add_prefix_space, bool at_start,
                  std::span<PlacedToken> tokens) {
  for (PlacedToken& token : tokens) {
    ByteSpan& span = token.span;
    const bool first = (at_start && &token == &tokens.front()) || span.begin == 0;
    const bool prefix = first && add_prefix_space && token.spaces_before == 1;
    for (size_t i = 0; i < token.spaces_before && !prefix && span.begin < span.end; ++i) {
      const char* p = text.data() + span.begin;
      decode_utf8(p, text.data() + text.size());
      span.begin = std::min(static_cast<size_t>(p - text.data()), span.end);
    }
    size_t end = span.end, left = token.spaces_after;
    for (; left > 0 && end > 0; --left) end = character_before(text, end);
    // With fewer characters before it in the whole text it stays, as in the reference.
    if (left == 0) span.end = std::max(end, span.begin);
  }
}

}  // namespace headway
