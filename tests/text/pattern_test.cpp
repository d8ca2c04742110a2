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
  size_t from = 0;
  while (const auto match = compiled.find(text, from)) {
    found += cat("[", text.substr(match->begin, match->end - match->begin), "]");
    from = match->end;
  }
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
  const auto match = literal.find("a\u2581\u2581(", 0);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->begin, 4u);
  EXPECT_EQ(match->end, 8u);
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
