// UTF-8, and what the reference tokenizer believes about characters.
//
// The tables are generated (scripts/make_unicode_tables.py) out of the reference itself, which
// mixes Unicode versions: categories of 8.0, decompositions of 9.0, lowercase of its compiler,
// categories of 16.0 in patterns. A system library would bring its own version, another one on each
// distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headway {

enum CharFlag : uint16_t {
  kCharControl = 1,          // categories Cc, Cf and Co without tab, newline and return; U+FFFD
  kCharSpace = 2,            // White_Space
  kCharPunctuation = 4,      // categories P*, and all ASCII symbols
  kCharIdeograph = 8,        // the ranges BERT puts spaces around
  kCharMark = 16,            // category Mn
  kCharWord = 32,            // \w of added tokens and the pre-tokenizer Whitespace
  kCharDecomposes = 64,      // has a canonical decomposition
  kCharCombiningMark = 128,  // categories M*, as StripAccents sees them
  kCharNumeric = 256,        // categories N*
  kCharCompatibility = 512,  // its compatibility decomposition is not the canonical one
  kCharSecond = 1024,        // may be joined to the character before it by NFC
};

// General categories as the patterns of Split and Replace see them (\p{Lu}); a set of them is a
// mask. kSpaceControl is what \s has of Cc.
// clang-format off
enum CharCategory : uint8_t {
  kLu, kLl, kLt, kLm, kLo, kMn, kMc, kMe, kNd, kNl, kNo,
  kPc, kPd, kPs, kPe, kPi, kPf, kPo, kSm, kSc, kSk, kSo,
  kZs, kZl, kZp, kCc, kCf, kCo, kCn, kSpaceControl,
};
// clang-format on

struct CharRecord {
  uint16_t flags;           // CharFlag bits
  uint8_t combining;        // canonical combining class
  uint8_t category;         // CharCategory
  int32_t lowercase_delta;  // to be added; lowercase() knows the one letter that becomes two
};

namespace unicode_internal {
constexpr int kBlock = 128;
extern const CharRecord kRecords[];
extern const uint16_t kRecordBlocks[0x110000 / kBlock];
extern const uint8_t kRecordIndex[];
struct Composition {
  char32_t first, second, composed;
};
}  // namespace unicode_internal

// `c` is a scalar value (below 0x110000).
inline const CharRecord& char_record(char32_t c) {
  using namespace unicode_internal;
  return kRecords[kRecordIndex[kRecordBlocks[c / kBlock] * kBlock + c % kBlock]];
}

// U+0130 is the only character whose lowercase is two: i and U+0307. The caller appends the second.
constexpr char32_t kCapitalIWithDot = 0x130;
constexpr char32_t kDotAbove = 0x307;
inline char32_t lowercase(char32_t c, const CharRecord& record) {
  return static_cast<char32_t>(static_cast<int32_t>(c) + record.lowercase_delta);
}

// The full canonical decomposition of `c`, at most 4 characters; empty for a character that has
// none. Hangul syllables are computed into `scratch`.
std::span<const char32_t> decompose(char32_t c, char32_t (&scratch)[3]);
// The full compatibility decomposition of a character with kCharCompatibility, at most 18.
std::span<const char32_t> decompose_compatibly(char32_t c);
// What NFC makes of two characters that follow each other; 0 when it leaves them.
char32_t compose(char32_t first, char32_t second);

constexpr char32_t kReplacementChar = 0xFFFD;

// Decodes the character at `p` (p < end) and moves `p` behind it. What is not UTF-8 gives U+FFFD
// and moves `p` by the maximal subpart (Unicode 16, 3.9, table 3-8), as Python's "replace" does.
inline char32_t decode_utf8(const char*& p, const char* end) {
  const auto byte = [](const char* q) { return static_cast<unsigned char>(*q); };
  const unsigned char lead = byte(p++);
  if (lead < 0x80) return lead;
  int more;
  char32_t c;
  unsigned char low = 0x80, high = 0xBF;  // what the second byte may be
  if (lead >= 0xC2 && lead <= 0xDF) {
    more = 1;
    c = lead & 0x1F;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    more = 2;
    c = lead & 0x0F;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    more = 3;
    c = lead & 0x07;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return kReplacementChar;
  }
  for (; more > 0; --more) {
    if (p == end || byte(p) < low || byte(p) > high) return kReplacementChar;
    c = c << 6 | (byte(p++) & 0x3F);
    low = 0x80;
    high = 0xBF;
  }
  return c;
}

// The character that ends just before `p` (begin < p), U+FFFD for what is not UTF-8.
char32_t decode_utf8_before(const char* begin, const char* p);

bool is_utf8(std::string_view text);
// Appends `text`, with U+FFFD for what is not UTF-8.
void append_valid_utf8(std::string& out, std::string_view text);

// Appends `c` as UTF-8.
inline void append_utf8(std::string& out, char32_t c) {
  char bytes[4];
  size_t size = 0;
  if (c < 0x80) {
    bytes[size++] = static_cast<char>(c);
  } else {
    if (c < 0x800) {
      bytes[size++] = static_cast<char>(0xC0 | c >> 6);
    } else {
      if (c < 0x10000) {
        bytes[size++] = static_cast<char>(0xE0 | c >> 12);
      } else {
        bytes[size++] = static_cast<char>(0xF0 | c >> 18);
        bytes[size++] = static_cast<char>(0x80 | (c >> 12 & 0x3F));
      }
      bytes[size++] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
    }
    bytes[size++] = static_cast<char>(0x80 | (c & 0x3F));
  }
  out.append(bytes, size);
}

}  // namespace headway
