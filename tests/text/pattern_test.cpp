// Patterns: what is matched by hand, and what is refused (golden_step_test.cpp compares the
// published patterns with the reference).
#include "engine/text/pattern.hpp"

#include <gtest/gtest.h>

#include "engine/base/message.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

// All matches, each in brackets.
std::string matches(std::string_view pattern, std::string_view text) {
  const Pattern compiled = Pattern::regex(pattern, "test");
  std::string found;
  Pattern::Search search(compiled, text);
  while (const auto match = search.next())
    found += cat("[", text.substr(match->begin, match->end - match->begin), "]");
  return found;
}

TEST(Pattern, TriesAlternativesInOrderAndGivesBack) {
  EXPECT_EQ(matches("a|ab", "abab"), "[a][a]");
  EXPECT_EQ(matches("ab|a", "aab"), "[a][ab]");
  EXPECT_EQ(matches("a+ab", "aaab"), "[aaab]");
  EXPECT_EQ(matches("a++ab|b", "aaab"), "[b]");
  EXPECT_EQ(matches("a{2,3}", "aaaaaaa"), "[aaa][aaa]");
  EXPECT_EQ(matches("x(?:a|b)?c", "xc xac xbc xabc"), "[xc][xac][xbc]");
  EXPECT_EQ(matches("a(?!b)|b(?=c|d)", "ab ac bc bd be"), "[a][b][b]");
  EXPECT_EQ(matches(R"(\s+(?!\S)|\s+)", "a   b  "), "[  ][ ][  ]");
}

TEST(Pattern, Classes) {
  EXPECT_EQ(matches(R"([a-c\-\]])", "abcd-]"), "[a][b][c][-][]]");
  EXPECT_EQ(matches(R"([^\sa-z])", "a B\u00e9\u3000"), "[B][\u00e9]");
  EXPECT_EQ(matches(R"(\p{Lu}\P{Lu}|\p{^L}{2})", "Ab12\u00c9e"), "[Ab][12][\u00c9e]");
  EXPECT_EQ(matches(R"(\u00e9|\x{4e2d})", "e\u00e9\u4e2d"), "[\u00e9][\u4e2d]");
  EXPECT_EQ(matches(".", "a\nb"), "[a][b]");
}

TEST(Pattern, WithoutCaseAsUnicodeFolds) {
  EXPECT_EQ(matches("(?i:'s|'K)", "'s'S'\u017f'\u212a'x"), "['s]['S]['\u017f]['\u212a]");
}

TEST(Pattern, Literals) {
  const Pattern literal = Pattern::literal("\u2581(");
  const auto match = Pattern::Search(literal, "a\u2581\u2581(").next();
  ASSERT_TRUE(match);
  EXPECT_EQ(match->begin, 4u);
  EXPECT_EQ(match->end, 8u);
}

// A pattern of a hostile file: its time would grow with a power of the text's length.
TEST(Pattern, GivesUpWhereRepetitionsTakeTheSameCharacters) {
  const std::string text(5000, 'a');
  for (const char* pattern : {"a+b", "a*a*a*a*b", "(?:a|aa)(?:a|aa)(?:a|aa)a+b", "(?=a+b)a"}) {
    SCOPED_TRACE(pattern);
    expect_error(ErrorCode::limit,
                 cat("test: pattern \"", pattern,
                     "\" tries more than 1000 steps for each byte of a "
                     "text of 5000 bytes"),
                 [&] { matches(pattern, text); });
  }
  EXPECT_EQ(matches("a+b", "aaab"), "[aaab]");
}

// Two ways at each of 90 places.
TEST(Pattern, GivesUpWhereAlternativesMultiply) {
  std::string pattern;
  for (int i = 0; i < 90; ++i) pattern += "(?:a|.)";
  expect_error(ErrorCode::limit, "tries more than 1000 steps",
               [&] { matches(pattern + "b", std::string(400, 'a')); });
}

// Not even reading such a pattern takes long.
TEST(Pattern, IsReadInLinearTime) {
  const auto repeated = [](std::string_view piece, int times) {
    std::string pattern;
    for (int i = 0; i < times; ++i) pattern += piece;
    return pattern;
  };
  EXPECT_EQ(matches(repeated("(a?|b?)", 50) + "c", "abc c"), "[abc][c]");
  for (const char* piece : {"(a?|b?)", "a?", "(?=a)", "(?:a|b)"})
    expect_error(ErrorCode::unsupported, "a pattern of more than 100 choices in a row",
                 [&] { matches(repeated(piece, 500) + "c", "abc"); });
}

// Characters that leave no choice take no stack.
TEST(Pattern, LongLiterals) {
  const std::string text(4000, 'a');
  EXPECT_EQ(matches(text, text), cat("[", text, "]"));
  const std::string more(20'000'000, 'a');
  const Pattern literal = Pattern::literal(text);
  Pattern::Search search(literal, more);
  size_t found = 0;
  while (search.next()) ++found;
  EXPECT_EQ(found, more.size() / text.size());
}

// A text that the published patterns take long for, of those that do not match at once.
TEST(Pattern, GoesOnWherePublishedPatternsLookFar) {
  constexpr char kPublished[] =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  for (const char* unit : {" ", "a", "'", "\n", " \n", "a ", " a\n", "\u0301", "\u4e2d1,"}) {
    SCOPED_TRACE(unit);
    std::string text;
    while (text.size() < 100000) text += unit;
    EXPECT_EQ(matches(kPublished, text).empty(), false);
  }
}

TEST(Pattern, RefusesByNameWhatItDoesNotKnow) {
  const auto refused = [](const std::string& pattern, const std::string& message) {
    SCOPED_TRACE(pattern);
    expect_error(ErrorCode::unsupported, cat("here: pattern \"", pattern, "\": ", message),
                 [&] { Pattern::regex(pattern, "here"); });
  };
  refused("a*", "a pattern that matches the empty text");
  refused("a|", "a pattern that matches the empty text");
  refused("^a", "\"^a\"");
  refused("a$", "\"$\"");
  refused(R"(\w)", R"("\w")");
  refused(R"(\bx)", R"("\bx")");
  refused(R"(\p{Han})", R"("\p{Han}")");
  refused(R"(\1)", R"("\1")");
  refused(R"(\x41)", R"("\x41")");
  refused("(?<=a)b", "\"(?<=a)b\"");
  refused("(?>a)b", "\"(?>a)b\"");
  refused("(ab)+", "a group that is repeated");
  refused("a+?", "\"+?\"");
  refused("a{1,2}+", "\"{1,2}+\"");
  refused("a{,2}", "\"{,2}\"");
  refused("a{5,2}", "\"{5,2}\"");
  refused("a{1001}", "more than 1000 repetitions");
  refused("[a[b]]", "a class in a class");
  refused("[a&&b]", "a class in a class");
  refused("[b-a]", "\"b-a]\"");
  refused("[a-b-c]", "\"-c]\"");
  refused(R"([\s-a])", R"("\s-a]")");
  refused("[]", "\"[]\"");
  refused("[a", "a pattern that ends too early");
  refused("(a", "a parenthesis that is not closed");
  refused("a)", "a closing parenthesis without an opening one");
  refused("(?i:[a])", "a class in (?i:");
  refused("(?i:\u00e9)", "a character beyond ASCII in (?i:");
  refused("(?i:xss)", "\"ss\" in (?i:");
  refused(std::string(20, '(') + "a" + std::string(20, ')'), "a pattern of more than 16 levels");
}

}  // namespace
}  // namespace headway
