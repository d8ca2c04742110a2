// Pairs and truncation against the reference (scripts/make_golden_pairs.py).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/formats/json.hpp"
#include "headway/error.hpp"
#include "tests/text/small_tokenizer.hpp"

namespace headway {
namespace {

std::vector<int32_t> ids_of(const JsonNode& array) {
  std::vector<int32_t> ids;
  for (const JsonNode id : array.elements()) ids.push_back(static_cast<int32_t>(id.as_int64()));
  return ids;
}

Tokenizer open(const JsonNode& line) {
  if (const auto post_processor = line.find("post_processor")) {
    SmallJson json;
    json.post_processor = post_processor->as_string();
    return open_small(json);
  }
  Files files;
  for (const JsonNode content : line.at("files").members())
    files[std::string(content.key())] = content.as_string();
  return Tokenizer::open(TestDirectory(files).path());
}

EncodeOptions options_of(const JsonNode& entry) {
  EncodeOptions options;
  if (!entry[2].is_null()) options.max_length = static_cast<size_t>(entry[2].as_int64());
  const std::string_view strategy = entry[3].as_string();
  if (strategy == "only_first") options.strategy = TruncationStrategy::only_first;
  if (strategy == "only_second") options.strategy = TruncationStrategy::only_second;
  options.side = entry[4].as_string() == "left" ? TruncationSide::left : TruncationSide::right;
  options.add_special_tokens = entry[5].as_bool();
  return options;
}

Encoding encode(const Tokenizer& tokenizer, const JsonNode& entry, const EncodeOptions& options) {
  if (!entry[1].is_null())
    return tokenizer.encode_pair(entry[0].as_string(), entry[1].as_string(), options);
  Encoding encoding = tokenizer.encode(entry[0].as_string(), options);
  EXPECT_TRUE(encoding.type_ids.empty());
  encoding.type_ids.assign(encoding.ids.size(), 0);
  return encoding;
}

TEST(GoldenPairs, IdsAndTypesEqualTheReference) {
  const std::string lines = read_text(golden_directory() / "tokenizer/pairs.jsonl");
  size_t tokenizers = 0, pairs = 0, refused = 0, truncated = 0;
  for (size_t begin = 0; begin < lines.size(); ++tokenizers) {
    const size_t end = lines.find('\n', begin);
    const Json json =
        Json::parse(std::string_view(lines).substr(begin, end - begin), "pairs.jsonl");
    begin = end + 1;
    SCOPED_TRACE(json.root().at("name").as_string());
    const Tokenizer tokenizer = open(json.root());
    for (const JsonNode entry : json.root().at("cases").elements()) {
      SCOPED_TRACE(entry.path());
      EncodeOptions options = options_of(entry);
      if (entry[6].is_null()) {
        ++refused;
        EXPECT_THROW(encode(tokenizer, entry, options), Error);
        options.offsets = true;
        EXPECT_THROW(encode(tokenizer, entry, options), Error);
        continue;
      }
      const Encoding encoding = encode(tokenizer, entry, options);
      EXPECT_EQ(encoding.ids, ids_of(entry[6]));
      EXPECT_EQ(encoding.type_ids, ids_of(entry[7]));
      options.offsets = true;
      EXPECT_EQ(encode(tokenizer, entry, options).ids, encoding.ids);
      EXPECT_EQ(encode(tokenizer, entry, options).type_ids, encoding.type_ids);
      options.max_length = EncodeOptions::kNoLimit;
      const size_t all = encode(tokenizer, entry, options).ids.size();
      EXPECT_EQ(encoding.truncated, encoding.ids.size() < all);
      truncated += encoding.truncated;
      pairs += !entry[1].is_null();
    }
  }
  EXPECT_EQ(tokenizers, 14u);
  EXPECT_GE(pairs, 450u);
  EXPECT_GE(refused, 100u);
  EXPECT_GE(truncated, 200u);
}

}  // namespace
}  // namespace headway
