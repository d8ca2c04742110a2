// Long texts in windows against the reference (scripts/make_golden_windows.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "headway/error.hpp"
#include "tests/text/golden_kinds.hpp"

namespace headway {
namespace {

Tokenizer open(const JsonNode& line) {
  if (const auto kind = line.find("kind")) return open_changed(std::string(kind->as_string()));
  SmallJson json;
  json.post_processor = line.at("post_processor").as_string();
  return open_small(json);
}

EncodeOptions options_of(const JsonNode& entry) {
  EncodeOptions options;
  options.max_length = static_cast<size_t>(entry[2].as_int64());
  const std::string_view strategy = entry[4].as_string();
  if (strategy == "only_first") options.strategy = TruncationStrategy::only_first;
  if (strategy == "only_second") options.strategy = TruncationStrategy::only_second;
  options.side = entry[5].as_string() == "left" ? TruncationSide::left : TruncationSide::right;
  options.add_special_tokens = entry[6].as_bool();
  return options;
}

std::vector<Encoding> windows_of(const Tokenizer& tokenizer, const JsonNode& entry,
                                 const EncodeOptions& options) {
  const std::string_view first = entry[0].as_string();
  const auto stride = static_cast<size_t>(entry[3].as_int64());
  return entry[1].is_null()
             ? tokenizer.encode_windows(first, stride, options)
             : tokenizer.encode_pair_windows(first, entry[1].as_string(), stride, options);
}

Encoding whole(const Tokenizer& tokenizer, const JsonNode& entry, const EncodeOptions& options) {
  const std::string_view first = entry[0].as_string();
  return entry[1].is_null() ? tokenizer.encode(first, options)
                            : tokenizer.encode_pair(first, entry[1].as_string(), options);
}

std::vector<int32_t> integers(const JsonNode& array) {
  std::vector<int32_t> result;
  for (const JsonNode node : array.elements())
    result.push_back(static_cast<int32_t>(node.as_int64()));
  return result;
}

int32_t characters(std::string_view text) {
  return static_cast<int32_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  }));
}

void check_window(const Encoding& window, const JsonNode& entry, const JsonNode& expected) {
  EXPECT_EQ(window.ids, integers(expected[0]));
  std::vector<int32_t> types = window.type_ids, begins, ends;
  if (entry[1].is_null()) types.assign(window.ids.size(), 0);
  EXPECT_EQ(types, integers(expected[1]));
  for (const TokenOffsets& place : window.offsets) {
    const std::string_view text =
        place.text < 0 ? std::string_view() : entry[static_cast<size_t>(place.text)].as_string();
    begins.push_back(characters(text.substr(0, place.begin)));
    ends.push_back(characters(text.substr(0, place.end)));
  }
  EXPECT_EQ(begins, integers(expected[2]));
  EXPECT_EQ(ends, integers(expected[3]));
}

TEST(GoldenWindows, EqualTheReference) {
  const std::string lines = read_text(golden_directory() / "tokenizer/windows.jsonl");
  size_t tokenizers = 0, refused = 0, several = 0, of_both = 0;
  for (size_t begin = 0; begin < lines.size(); ++tokenizers) {
    const size_t end = lines.find('\n', begin);
    const Json json =
        Json::parse(std::string_view(lines).substr(begin, end - begin), "windows.jsonl");
    begin = end + 1;
    SCOPED_TRACE(json.root().at("name").as_string());
    const Tokenizer tokenizer = open(json.root());
    for (const JsonNode entry : json.root().at("cases").elements()) {
      SCOPED_TRACE(entry.path());
      EncodeOptions options = options_of(entry);
      if (entry[7].is_null()) {
        ++refused;
        EXPECT_THROW(windows_of(tokenizer, entry, options), Error);
        continue;
      }
      const std::vector<Encoding> plain = windows_of(tokenizer, entry, options);
      options.offsets = true;
      const std::vector<Encoding> windows = windows_of(tokenizer, entry, options);
      ASSERT_EQ(windows.size(), entry[7].size());
      ASSERT_EQ(plain.size(), windows.size());
      for (size_t i = 0; i < windows.size(); ++i) {
        SCOPED_TRACE(i);
        check_window(windows[i], entry, entry[7][i]);
        EXPECT_EQ(plain[i].ids, windows[i].ids);
        EXPECT_EQ(plain[i].type_ids, windows[i].type_ids);
        EXPECT_TRUE(plain[i].offsets.empty());
        EXPECT_EQ(windows[i].truncated, windows.size() > 1);
      }
      EXPECT_EQ(whole(tokenizer, entry, options).ids, windows[0].ids);
      several += windows.size() > 1;
      of_both += windows.size() > 9;
    }
  }
  EXPECT_EQ(tokenizers, 12u);
  EXPECT_GE(refused, 30u);
  EXPECT_GE(several, 100u);
  EXPECT_GE(of_both, 15u);
}

TEST(Windows, AStrideMustMoveOn) {
  const Tokenizer tokenizer = open_small();
  const auto windows = [&](size_t stride) {
    return tokenizer.encode_windows("a b a b", stride, {.max_length = 4}).size();
  };
  EXPECT_EQ(windows(0), 2u);
  EXPECT_EQ(windows(1), 3u);
  EXPECT_THROW(windows(2), Error);
  EXPECT_THROW(windows(SIZE_MAX), Error);
  EXPECT_EQ(tokenizer.encode_windows("a b a b", SIZE_MAX, {}).size(), 1u);  // nothing is cut
}

}  // namespace
}  // namespace headway
