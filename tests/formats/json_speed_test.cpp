// A large vocabulary must load in time proportional to its size; duplicate detection included.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "engine/formats/json.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

std::string vocabulary(size_t entries) {
  std::string text = "{\"model\": {\"vocab\": {";
  for (size_t i = 0; i < entries; ++i) {
    if (i > 0) text += ",";
    // Equal first bytes are the worst case of the comparison by prefix.
    text +=
        "\"\\u2581common_prefix_" + std::to_string(i * 7919 % entries) + "\": " + std::to_string(i);
  }
  return text + "}}}";
}

double seconds_to_parse(const std::string& text) {
  double best = 1e9;
  for (int pass = 0; pass < 3; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    const Json json = Json::parse(text, "tokenizer.json");
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  return best;
}

TEST(JsonSpeed, VocabularyLoadsInNearlyLinearTime) {
  const double small = seconds_to_parse(vocabulary(25000));
  const double large = seconds_to_parse(vocabulary(250000));
  RecordProperty("seconds_250k", std::to_string(large));
  // Ten times the entries: linear is 10, n log n is 12, caches make it about 20; quadratic is 100.
  EXPECT_LT(large, 50 * small) << small << " s, " << large << " s";
}

TEST(JsonSpeed, LargeVocabularyIsComplete) {
  const Json json = Json::parse(vocabulary(250000), "tokenizer.json");
  const JsonNode vocab = json.root().at("model").at("vocab");
  EXPECT_EQ(vocab.size(), 250000u);
  int64_t id = 0;
  for (JsonNode entry : vocab.members()) {
    ASSERT_EQ(entry.as_int64(), id++);
    ASSERT_EQ(vocab.at(entry.key()).as_int64(), entry.as_int64());
  }
}

TEST(JsonSpeed, ValuesAreCounted) {
  std::string text = "[";
  for (size_t i = 0; i < Json::kMaxNodes; ++i) text += "0,";
  text.back() = ']';
  expect_error(ErrorCode::limit, "tokenizer.json: more than 8388608 JSON values",
               [&] { Json::parse(text, "tokenizer.json"); });
}

}  // namespace
}  // namespace headway
