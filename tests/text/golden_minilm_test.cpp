// The ids of 512 texts with the real vocabulary (scripts/make_golden_minilm.py).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/formats/json.hpp"
#include "headway/tokenizer.hpp"
#include "tests/text/directory.hpp"

namespace headway {
namespace {

std::vector<Json> read_lines(const char* file) {
  const std::string lines = read_text(golden_directory() / "minilm" / file);
  std::vector<Json> result;
  for (size_t begin = 0, end; begin < lines.size(); begin = end + 1) {
    end = lines.find('\n', begin);
    result.push_back(Json::parse(std::string_view(lines).substr(begin, end - begin), file));
  }
  return result;
}

void check_all(const Tokenizer& tokenizer) {
  const std::vector<Json> texts = read_lines("texts.jsonl"), ids = read_lines("ids.jsonl");
  ASSERT_GE(texts.size(), 500u);
  ASSERT_EQ(texts.size(), ids.size());
  EncodeOptions options;
  options.max_length = 256;
  size_t truncated = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string_view text = texts[i].root().as_string();
    std::vector<int32_t> expected;
    for (const JsonNode id : ids[i].root().elements())
      expected.push_back(static_cast<int32_t>(id.as_int64()));
    const Encoding encoding = tokenizer.encode(text, options);
    EXPECT_EQ(encoding.ids, expected) << "text " << i << ": " << text;
    EXPECT_EQ(encoding.truncated, tokenizer.encode(text).ids.size() > 256) << "text " << i;
    truncated += encoding.truncated;
  }
  EXPECT_GE(truncated, 5u);
}

TEST(GoldenMiniLm, IdsEqualTheReference) {
  const Tokenizer tokenizer = Tokenizer::open(minilm_directory());
  EXPECT_EQ(tokenizer.vocab_size(), 30522);
  EXPECT_EQ(tokenizer.special_tokens(), 2u);
  EXPECT_EQ(tokenizer.model_max_length(), 512);
  check_all(tokenizer);
}

TEST(GoldenMiniLm, IdsEqualTheReferenceFromVocabTxt) {
  const auto model = minilm_directory();
  const TestDirectory directory(
      {{"vocab.txt", read_text(model / "vocab.txt")},
       {"tokenizer_config.json", read_text(model / "tokenizer_config.json")}});
  check_all(Tokenizer::open(directory.path()));
}

TEST(GoldenMiniLm, IdsEqualTheReferenceInTodaysLayout) {
  const auto resaved = golden_directory() / "minilm-resaved";
  const TestDirectory directory(
      {{"tokenizer.json", read_text(minilm_directory() / "tokenizer.json")},
       {"config.json", read_text(resaved / "config.json")},
       {"tokenizer_config.json", read_text(resaved / "tokenizer_config.json")}});
  const Tokenizer tokenizer = Tokenizer::open(directory.path());
  EXPECT_EQ(tokenizer.model_max_length(), 256);
  check_all(tokenizer);
}

}  // namespace
}  // namespace headway
