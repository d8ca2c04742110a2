// Error messages and codes.
#include "engine/base/message.hpp"

#include <gtest/gtest.h>

#include <locale>
#include <set>
#include <string>

#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

TEST(Message, JoinsWhateverCanBeStreamed) {
  EXPECT_EQ(cat("x is ", 3, ", not ", 1.5, ' ', std::string("(dim)")), "x is 3, not 1.5 (dim)");
}

TEST(Message, NumbersDoNotFollowTheLocale) {
  // Like the German one, which groups digits and has a decimal comma, but always there.
  struct Grouping : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
    char do_decimal_point() const override { return ','; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale(), new Grouping));
  const std::string text = cat(1234567, " ", 1.5);
  std::locale::global(before);
  EXPECT_EQ(text, "1234567 1.5");
}

TEST(Message, FailThrowsCodeAndText) {
  try {
    fail(ErrorCode::busy, "all ", 4, " slabs are in use");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::busy);
    EXPECT_STREQ(error.what(), "all 4 slabs are in use");
  }
}

TEST(ErrorCodes, HaveTheirNames) {
  EXPECT_STREQ(to_string(ErrorCode::invalid_argument), "invalid_argument");
  std::set<std::string> names;
  for (ErrorCode code : {ErrorCode::invalid_argument, ErrorCode::not_found, ErrorCode::io,
                         ErrorCode::format, ErrorCode::unsupported, ErrorCode::limit,
                         ErrorCode::busy, ErrorCode::cancelled, ErrorCode::internal})
    names.insert(to_string(code));
  EXPECT_EQ(names.size(), 9u);
  EXPECT_EQ(names.count("unknown"), 0u);
}

}  // namespace
}  // namespace headway
