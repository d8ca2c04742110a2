// Ids to texts against the reference (scripts/make_golden_decode.py).
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "engine/formats/json.hpp"
#include "headway/tokenizer.hpp"
#include "tests/text/small_tokenizer.hpp"

namespace headway {
namespace {

TEST(GoldenDecode, TextsEqualTheReference) {
  std::istringstream lines(read_text(golden_directory() / "tokenizer/decode.jsonl"));
  std::string file, line;
  std::getline(lines, file);
  const std::string decoder = "\"DECODER\"";
  const size_t place = file.find(decoder);
  ASSERT_NE(place, std::string::npos);
  size_t decoders = 0;
  for (; std::getline(lines, line); ++decoders) {
    const Json json = Json::parse(line, "decode.jsonl");
    SCOPED_TRACE(json.root().at("name").as_string());
    std::string with_decoder = file;
    with_decoder.replace(place, decoder.size(), json.root().at("decoder").as_string());
    const TestDirectory directory(Files{{"tokenizer.json", with_decoder}});
    const Tokenizer tokenizer = Tokenizer::open(directory.path());
    for (const JsonNode entry : json.root().at("cases").elements()) {
      std::vector<int32_t> ids;
      for (const JsonNode id : entry[0].elements())
        ids.push_back(static_cast<int32_t>(id.as_int64()));
      EXPECT_EQ(tokenizer.decode(ids, false), entry[1].as_string()) << entry[0].path();
      EXPECT_EQ(tokenizer.decode(ids), entry[2].as_string()) << entry[0].path();
    }
  }
  EXPECT_EQ(decoders, 21u);
}

TEST(GoldenDecode, RealModel) {
  const Tokenizer tokenizer = Tokenizer::open(minilm_directory());
  const std::vector<int32_t> ids = tokenizer.encode("Don't decode this, unaffable!").ids;
  EXPECT_EQ(tokenizer.decode(ids), "don ' t decode this, unaffable!");
}

}  // namespace
}  // namespace headway
