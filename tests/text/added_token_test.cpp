// Added tokens: what the golden cases do not show (matching itself is compared with the reference
// in golden_case_test.cpp).
#include "engine/text/added_tokens.hpp"

#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"
#include "tests/text/small_tokenizer.hpp"

namespace headway {
namespace {

std::string starts(const AddedTokenPatterns& patterns, std::string_view text, size_t step) {
  AddedTokenScan scan(patterns, text, false);
  std::string found;
  for (size_t limit = step;; limit += step) {
    const size_t end = std::min(limit, text.size());
    while (const auto match = scan.next(end))
      found += std::to_string(match->start) + "-" + std::to_string(match->stop) + " ";
    if (end == text.size()) return found;
  }
}

TEST(AddedTokens, TheLongestAtTheLeftmostPlace) {
  AddedTokenPatterns patterns;
  EXPECT_TRUE(patterns.empty());
  for (const char* content : {"ab", "abcd", "bcd", "x"})
    EXPECT_TRUE(patterns.add(content, AddedToken{.content = content}));
  EXPECT_FALSE(patterns.add("ab", AddedToken{.content = "ab"}));
  EXPECT_EQ(starts(patterns, "abc abcd bcd xx", 100), "0-2 4-8 9-12 13-14 14-15 ");
}

TEST(AddedTokens, WhereTheSearchPausesChangesNothing) {
  AddedTokenPatterns patterns;
  patterns.add("[MASK]", AddedToken{.content = "[MASK]", .lstrip = true, .rstrip = true});
  patterns.add("[", AddedToken{.content = "["});
  const std::string text = "a  [MASK]  [MASK b[[MASK]][MASK]";
  const std::string expected = starts(patterns, text, 100);
  EXPECT_NE(expected, "");
  for (size_t step = 1; step < text.size(); ++step)
    EXPECT_EQ(starts(patterns, text, step), expected);
}

// Windows of 4096 bytes are searched and encoded in turn: tokens and words on their edges.
TEST(AddedTokens, WindowsDoNotShow) {
  const Tokenizer tokenizer = open_small();
  for (size_t before = 4070; before < 4110; ++before) {
    for (const char* filler : {" ", "a", ",", "b "}) {
      std::string text;
      while (text.size() < before) text += filler;
      text.resize(before);
      const std::vector<int32_t> head = tokenizer.encode(text, {.add_special_tokens = false}).ids;
      std::vector<int32_t> expected = head;
      for (const int32_t id : {4, 5, 4}) expected.push_back(id);
      text += "[MASK]hello[MASK]";
      ASSERT_EQ(tokenizer.encode(text, {.add_special_tokens = false}).ids, expected)
          << before << " bytes of '" << filler << "'";
    }
  }
}

TEST(AddedTokens, RefusedByName) {
  const auto open_with = [](std::string tokens) {
    SmallJson json;
    json.added_tokens = std::move(tokens);
    open_small(json);
  };
  expect_error(ErrorCode::format, "added token \"<x>\": expected id 19, found 20",
               [&] { open_with(R"([{"id":20,"content":"<x>"}])"); });
  expect_error(ErrorCode::format, "added token \"hello\": expected id 5, found 9",
               [&] { open_with(R"([{"id":9,"content":"hello"}])"); });
  expect_error(ErrorCode::format, "\"added_tokens[1].content\": the token \"<x>\" is there twice",
               [&] { open_with(R"([{"id":19,"content":"<x>"},{"id":19,"content":"<x>"}])"); });
  expect_error(ErrorCode::format, "\"added_tokens[0].content\": expected a token, found nothing",
               [&] { open_with(R"([{"id":19,"content":""}])"); });
  expect_error(ErrorCode::format, "\"added_tokens[0].id\"",
               [&] { open_with(R"([{"id":-1,"content":"<x>"}])"); });
  expect_error(ErrorCode::format, "nothing is left of it when it is normalized",
               [&] { open_with(R"([{"id":19,"content":"\u0301","normalized":true}])"); });
  expect_error(ErrorCode::format, "another one normalizes to \"ab\" as well", [&] {
    open_with(R"([{"id":19,"content":"AB","normalized":true},)"
              R"({"id":20,"content":"Ab","normalized":true}])");
  });
  expect_error(ErrorCode::unsupported, "U+FFFD in an added token",
               [&] { open_with(R"([{"id":19,"content":"x\ufffd"}])"); });
}

}  // namespace
}  // namespace headway
