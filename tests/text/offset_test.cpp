// Places of tokens where no reference is asked: pairs, cutting, and bytes that are not UTF-8.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/message.hpp"
#include "tests/text/golden_hash.hpp"
#include "tests/text/small_tokenizer.hpp"

namespace headway {
namespace {

// "text:begin-end" of each token, "." for special ones.
std::vector<std::string> places(const Encoding& encoding) {
  std::vector<std::string> result;
  EXPECT_EQ(encoding.ids.size(), encoding.offsets.size());
  for (const TokenOffsets& place : encoding.offsets) {
    if (place.text < 0) {
      EXPECT_EQ(place.begin, 0u);
      EXPECT_EQ(place.end, 0u);
      result.push_back(".");
    } else {
      result.push_back(cat(place.text, ":", place.begin, "-", place.end));
    }
  }
  return result;
}

using Places = std::vector<std::string>;

TEST(Offsets, AreBytesOfTheCallersText) {
  const Tokenizer tokenizer = open_small();
  EXPECT_EQ(places(tokenizer.encode("Hello, \u00c9unaffable [MASK]", {.offsets = true})),
            (Places{".", "0:0-5", "0:5-6", "0:7-18", "0:19-25", "."}));
  EXPECT_EQ(places(tokenizer.encode("unaffable", {.offsets = true})),
            (Places{".", "0:0-2", "0:2-5", "0:5-9", "."}));
  EXPECT_TRUE(tokenizer.encode("a").offsets.empty());
}

TEST(Offsets, CountBytesThatAreNotUtf8) {
  SmallJson json;
  json.normalizer = "null";
  const Tokenizer tokenizer = open_small(json);
  EXPECT_EQ(places(tokenizer.encode("a \xE2\x82 b\x80 a", {.offsets = true})),
            (Places{".", "0:0-1", "0:2-4", "0:5-7", "0:8-9", "."}));
}

// Bytes that are mostly no text at all: places stay inside, and ids are those without places.
TEST(Offsets, OfRandomBytes) {
  SmallJson json;
  json.post_processor =
      R"({"type":"RobertaProcessing","cls":["[CLS]",2],"sep":["[SEP]",3],"add_prefix_space":false})";
  json.added_tokens = R"([{"id":9,"content":"a","lstrip":true,"rstrip":true}])";
  std::vector<Tokenizer> tokenizers = {open_small(json)};
  for (const char* name : kTrainedModels) tokenizers.push_back(open_trained(name));
  Draw draw(0x9E3779B97F4A7C15);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (uint32_t length = draw.below(24); length > 0; --length)
      text += draw.below(3) ? static_cast<char>(draw.below(256)) : " ab"[draw.below(3)];
    for (const Tokenizer& tokenizer : tokenizers) {
      const Encoding encoding = tokenizer.encode(text, {.offsets = true});
      ASSERT_EQ(encoding.ids, tokenizer.encode(text).ids);
      for (const TokenOffsets& place : encoding.offsets) {
        ASSERT_LE(place.begin, place.end);
        ASSERT_LE(place.end, text.size());
      }
    }
  }
}

TEST(Offsets, OfPairsThatAreCut) {
  SmallJson json;
  json.post_processor = R"({"type":"BertProcessing","cls":["[CLS]",2],"sep":["[SEP]",3]})";
  const Tokenizer tokenizer = open_small(json);
  EncodeOptions options{.max_length = 7, .offsets = true};
  EXPECT_EQ(places(tokenizer.encode_pair("a b hello", "b b b", options)),
            (Places{".", "0:0-1", "0:2-3", ".", "1:0-1", "1:2-3", "."}));
  options.side = TruncationSide::left;
  const Encoding left = tokenizer.encode_pair("a b hello", "b b b", options);
  EXPECT_EQ(places(left), (Places{".", "0:2-3", "0:4-9", ".", "1:2-3", "1:4-5", "."}));
  EXPECT_EQ(left.type_ids, (std::vector<int32_t>{0, 0, 0, 0, 1, 1, 1}));
  EXPECT_TRUE(left.truncated);
}

}  // namespace
}  // namespace headway
