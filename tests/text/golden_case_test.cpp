// Small directories against the reference (scripts/make_golden_tokenizer.py): added tokens with
// every flag, post-processors, old files, the overrides of tokenizer_config.json.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/formats/json.hpp"
#include "headway/tokenizer.hpp"
#include "tests/text/directory.hpp"

namespace headway {
namespace {

std::vector<int32_t> ids_of(const JsonNode& array) {
  std::vector<int32_t> ids;
  for (const JsonNode id : array.elements()) ids.push_back(static_cast<int32_t>(id.as_int64()));
  return ids;
}

void check_cases(const char* file, size_t least_cases, size_t least_texts) {
  const std::string lines = read_text(golden_directory() / "tokenizer" / file);
  size_t cases = 0, texts = 0, begin = 0;
  const auto next_line = [&] {
    const size_t end = lines.find('\n', begin);
    const std::string_view line = std::string_view(lines).substr(begin, end - begin);
    begin = end + 1;
    return Json::parse(line, file);
  };
  const Json contents = next_line();  // of the files
  for (; begin < lines.size(); ++cases) {
    const Json json = next_line();
    SCOPED_TRACE(json.root().at("name").as_string());
    Files files;
    for (const JsonNode content : json.root().at("files").members())
      files[std::string(content.key())] =
          contents.root()[static_cast<size_t>(content.as_int64())].as_string();
    const TestDirectory directory(files);
    const Tokenizer tokenizer = Tokenizer::open(directory.path());
    for (const JsonNode entry : json.root().at("cases").elements()) {
      const std::string_view text = entry[0].as_string();
      EXPECT_EQ(tokenizer.encode(text).ids, ids_of(entry[1])) << text;
      EncodeOptions options;
      options.add_special_tokens = false;
      EXPECT_EQ(tokenizer.encode(text, options).ids, ids_of(entry[2])) << text;
      options.encode_special_tokens = true;
      EXPECT_EQ(tokenizer.encode(text, options).ids, ids_of(entry[3])) << text;
      ++texts;
    }
  }
  EXPECT_GE(cases, least_cases);
  EXPECT_GE(texts, least_texts);
}

TEST(GoldenCases, IdsEqualTheReference) {
  check_cases("cases.jsonl", 50, 1300);
}

// scripts/make_golden_classes.py
TEST(GoldenCases, IdsEqualThoseOfTransformersOwnClasses) {
  check_cases("classes.jsonl", 35, 650);
}

}  // namespace
}  // namespace headway
