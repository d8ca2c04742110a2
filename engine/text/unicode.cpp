// The generated tables, and the rarer functions over them.
#include "engine/text/unicode.hpp"

#include <algorithm>

namespace headway {
namespace unicode_internal {
#include "engine/text/unicode_tables.inc"
}  // namespace unicode_internal

std::span<const char32_t> decompose(char32_t c, char32_t (&scratch)[3]) {
  using namespace unicode_internal;
  // Hangul: the arithmetic of Unicode 16, 3.12.
  constexpr char32_t kSyllables = 0xAC00, kLead = 0x1100, kVowel = 0x1161, kTail = 0x11A7;
  if (c - kSyllables < 11172) {
    const char32_t index = c - kSyllables;
    scratch[0] = kLead + index / 588;
    scratch[1] = kVowel + index % 588 / 28;
    scratch[2] = kTail + index % 28;
    return {scratch, index % 28 == 0 ? size_t{2} : size_t{3}};
  }
  const char32_t* entry =
      kDecompositions + kDecompositionIndex[kDecompositionBlocks[c / kBlock] * kBlock + c % kBlock];
  return {entry + 1, static_cast<size_t>(*entry)};
}

char32_t decode_utf8_before(const char* begin, const char* p) {
  // A character has at most 4 bytes, so one of the four starts before p reaches exactly to it.
  for (const char* start = p - 1; start >= begin && p - start <= 4; --start) {
    if ((static_cast<unsigned char>(*start) & 0xC0) == 0x80) continue;
    const char* q = start;
    const char32_t c = decode_utf8(q, p);
    return q == p ? c : kReplacementChar;
  }
  return kReplacementChar;
}

}  // namespace headway
