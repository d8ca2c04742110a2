// Writing JSON: what comes out must read back as what went in.
#include "engine/formats/json_writer.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "engine/formats/json.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

TEST(JsonWriter, EscapesWhatMustBe) {
  EXPECT_EQ(json_escape(""), "\"\"");
  EXPECT_EQ(json_escape("plain \u00e9\u6f22\U0001F600"), "\"plain \u00e9\u6f22\U0001F600\"");
  EXPECT_EQ(json_escape("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(json_escape("\n\r\t\b\f\x1b\x7f"), R"("\n\r\t\u0008\u000c\u001b\u007f")");
  EXPECT_EQ(json_escape(std::string_view("\0x", 2)), R"("\u0000x")");
}

TEST(JsonWriter, ReplacesInvalidUtf8) {
  EXPECT_EQ(json_escape("a\xff"
                        "b"),
            "\"a\uFFFDb\"");
  EXPECT_EQ(json_escape("\xc0\xaf"), "\"\uFFFD\uFFFD\"");                      // overlong
  EXPECT_EQ(json_escape("\xed\xa0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");            // surrogate
  EXPECT_EQ(json_escape("\xe2\x82"), "\"\uFFFD\uFFFD\"");                      // cut off
  EXPECT_EQ(json_escape("\xf4\x90\x80\x80"), "\"\uFFFD\uFFFD\uFFFD\uFFFD\"");  // > U+10FFFF
}

TEST(JsonWriter, EveryStringReadsBack) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    for (unsigned n = random() % 12; n > 0; --n) bytes += static_cast<char>(random());
    const std::string written = json_escape(bytes);
    const Json json = Json::parse(written, "written");  // throws unless valid
    EXPECT_EQ(json_escape(json.root().as_string()), written);
  }
}

TEST(JsonWriter, NumbersAreShortest) {
  const auto text = [](auto value) {
    std::string out;
    append_json_number(out, value);
    return out;
  };
  EXPECT_EQ(text(0.1f), "0.1");
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(1.0f), "1");
  EXPECT_EQ(text(-0.0f), "-0");
  EXPECT_EQ(text(1e30f), "1e+30");
  EXPECT_EQ(text(std::numeric_limits<double>::denorm_min()), "5e-324");
  EXPECT_EQ(json_number(605.25), "605.25");
}

TEST(JsonWriter, NumbersReadBackBitForBit) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 20000; ++round) {
    const auto single = std::bit_cast<float>(static_cast<uint32_t>(random()));
    const auto twice = std::bit_cast<double>(random());
    if (!std::isfinite(single) || !std::isfinite(twice)) continue;
    std::string text = "[";
    append_json_number(text, single);
    text += ",";
    append_json_number(text, twice);
    const Json json = Json::parse(text + "]", "written");
    EXPECT_EQ(static_cast<float>(json.root()[0].as_double()), single) << text;
    EXPECT_EQ(json.root()[1].as_double(), twice) << text;
  }
}

TEST(JsonWriter, RefusesNonFinite) {
  std::string out;
  expect_error(ErrorCode::invalid_argument, "JSON cannot hold the number NaN",
               [&] { append_json_number(out, std::nanf("")); });
  expect_error(ErrorCode::invalid_argument, "JSON cannot hold the number infinity",
               [] { json_number(-INFINITY); });
  EXPECT_EQ(out, "");
}

TEST(JsonWriter, WritesAnObjectOnOneLine) {
  JsonObjectWriter writer;
  writer.add("isa", "avx\"2").add("texts", 2000).add("passes", size_t{5}).add("s", 0.25);
  writer.add("ok", true).add("name", std::string("n")).add_raw("list", "[1, 2]");
  EXPECT_EQ(writer.str(),
            R"({"isa": "avx\"2", "texts": 2000, "passes": 5, "s": 0.25, "ok": true, "name": "n", )"
            R"("list": [1, 2]})");
  EXPECT_EQ(JsonObjectWriter().str(), "{}");
}

}  // namespace
}  // namespace headway
