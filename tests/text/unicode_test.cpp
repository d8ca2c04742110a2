// Characters: UTF-8 both ways, decompositions, the odd spots of the tables.
#include "engine/text/unicode.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace headway {
namespace {

std::vector<char32_t> decode(std::string_view text) {
  std::vector<char32_t> result;
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) result.push_back(decode_utf8(p, end));
  return result;
}

using Chars = std::vector<char32_t>;

TEST(Utf8, EveryScalarSurvivesBothWays) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text;
    append_utf8(text, c);
    ASSERT_EQ(decode(text), Chars{c});
    ASSERT_EQ(decode_utf8_before(text.data(), text.data() + text.size()), c);
  }
}

// Expected values: bytes.decode("utf-8", "replace") of Python 3.11.
TEST(Utf8, EachMaximalSubpartBecomesOneReplacement) {
  const char32_t r = kReplacementChar;
  EXPECT_EQ(decode("\x80"), Chars{r});
  EXPECT_EQ(decode("\xC0\x80"), (Chars{r, r}));
  EXPECT_EQ(decode("\xC3"), Chars{r});
  EXPECT_EQ(decode("\xC3"
                   "a"),
            (Chars{r, 'a'}));
  EXPECT_EQ(decode("\xE2\x82"
                   "a"),
            (Chars{r, 'a'}));
  EXPECT_EQ(decode("\xE0\x80\x80"), (Chars{r, r, r}));  // overlong
  EXPECT_EQ(decode("\xED\xA0\x80"), (Chars{r, r, r}));  // a surrogate
  EXPECT_EQ(decode("\xF0\x9F\x98"), Chars{r});          // cut short
  EXPECT_EQ(decode("\xF0\x9F\xF0\x9F\x98\x80"), (Chars{r, 0x1F600}));
  EXPECT_EQ(decode("\xF0\x8F\xBF\xBF"), (Chars{r, r, r, r}));  // overlong
  EXPECT_EQ(decode("\xF4\x90\x80\x80"), (Chars{r, r, r, r}));  // beyond U+10FFFF
  EXPECT_EQ(decode("\xF5\xFF"), (Chars{r, r}));
}

TEST(Utf8, ACharacterBeforeAPlace) {
  const std::string_view text = "a\xC3\xA9\x80";
  EXPECT_EQ(decode_utf8_before(text.data(), text.data() + 1), U'a');
  EXPECT_EQ(decode_utf8_before(text.data(), text.data() + 3), U'é');
  EXPECT_EQ(decode_utf8_before(text.data(), text.data() + 4), kReplacementChar);
  EXPECT_EQ(decode_utf8_before(text.data() + 2, text.data() + 3), kReplacementChar);
}

TEST(Unicode, Decompositions) {
  char32_t scratch[3];
  const auto parts = [&](char32_t c) {
    const auto span = decompose(c, scratch);
    return Chars(span.begin(), span.end());
  };
  EXPECT_EQ(parts(U'a'), Chars{});
  EXPECT_EQ(parts(0xE9), (Chars{'e', 0x301}));
  EXPECT_EQ(parts(0x1ED), Chars({'o', 0x328, 0x304}));            // through U+01EB
  EXPECT_EQ(parts(0x1F82), (Chars{0x3B1, 0x313, 0x300, 0x345}));  // the longest there are
  EXPECT_EQ(parts(0xAC00), (Chars{0x1100, 0x1161}));
  EXPECT_EQ(parts(0xD7A3), (Chars{0x1112, 0x1175, 0x11C2}));
  EXPECT_EQ(parts(0xD7A4), Chars{});
}

TEST(Unicode, CategoriesAreThoseOfVersion8) {
  const auto flags = [](char32_t c) { return int{char_record(c).flags}; };
  EXPECT_EQ(flags(0x08E2) & kCharControl, 0);  // Cf, since Unicode 9
  EXPECT_NE(flags(0x180E) & kCharControl, 0);  // Cf, White_Space no longer
  EXPECT_EQ(flags(0x180E) & kCharSpace, 0);
  EXPECT_NE(flags(0x0B) & kCharControl, 0);
  EXPECT_NE(flags(0x85) & kCharControl, 0);
  EXPECT_EQ(flags('\t') & kCharControl, 0);
  EXPECT_NE(flags(0xE000) & kCharControl, 0);  // Co
  EXPECT_NE(flags(0xF1234) & kCharControl, 0);
  EXPECT_EQ(flags(0x378) & kCharControl, 0);       // Cn
  EXPECT_NE(flags('$') & kCharPunctuation, 0);     // ASCII symbols count
  EXPECT_EQ(flags(0x20AC) & kCharPunctuation, 0);  // others do not
  EXPECT_EQ(flags(0x2B820) & kCharIdeograph, 0);   // BERT had it
  EXPECT_NE(flags(0x2B920) & kCharIdeograph, 0);
}

}  // namespace
}  // namespace headway
