// The generated tables, and the rarer functions over them.
#include "engine/text/unicode.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headway {
namespace unicode_internal {
#include "engine/text/unicode_tables.inc"
}  // namespace unicode_internal

namespace {

// Hangul: the arithmetic of Unicode 16, 3.12.
constexpr char32_t kSyllables = 0xAC00, kLead = 0x1100, kVowel = 0x1161, kTail = 0x11A7;
constexpr char32_t kSyllableCount = 11172, kLeadCount = 19, kVowelCount = 21, kTailCount = 28;

}  // namespace

std::span<const char32_t> decompose(char32_t c, char32_t (&scratch)[3]) {
  using namespace unicode_internal;
  if (c - kSyllables < kSyllableCount) {
    const char32_t index = c - kSyllables;
    scratch[0] = kLead + index / (kVowelCount * kTailCount);
    scratch[1] = kVowel + index % (kVowelCount * kTailCount) / kTailCount;
    scratch[2] = kTail + index % kTailCount;
    return {scratch, index % kTailCount == 0 ? size_t{2} : size_t{3}};
  }
  const char32_t* entry =
      kDecompositions + kDecompositionIndex[kDecompositionBlocks[c / kBlock] * kBlock + c % kBlock];
  return {entry + 1, static_cast<size_t>(*entry)};
}

std::span<const char32_t> decompose_compatibly(char32_t c) {
  using namespace unicode_internal;
  const char32_t* entry =
      kDecompositions + kCompatibilityIndex[kCompatibilityBlocks[c / kBlock] * kBlock + c % kBlock];
  return {entry + 1, static_cast<size_t>(*entry)};
}

char32_t compose(char32_t first, char32_t second) {
  using namespace unicode_internal;
  if (first - kLead < kLeadCount && second - kVowel < kVowelCount)
    return kSyllables + ((first - kLead) * kVowelCount + (second - kVowel)) * kTailCount;
  if (first - kSyllables < kSyllableCount && (first - kSyllables) % kTailCount == 0 &&
      second - kTail - 1 < kTailCount - 1)
    return first + (second - kTail);
  const auto key = [](const Composition& c) { return std::pair(c.first, c.second); };
  const auto* found = std::ranges::lower_bound(kCompositions, std::pair(first, second), {}, key);
  return found != std::end(kCompositions) && key(*found) == std::pair(first, second)
             ? found->composed
             : 0;
}

bool is_utf8(std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    const char* const start = p;
    if (decode_utf8(p, end) == kReplacementChar &&
        std::string_view(start, static_cast<size_t>(p - start)) != "\xEF\xBF\xBD")
      return false;
  }
  return true;
}

void append_valid_utf8(std::string& out, std::string_view text) {
  if (is_utf8(text)) {
    out += text;
    return;
  }
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) append_utf8(out, decode_utf8(p, end));
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
