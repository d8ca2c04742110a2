// Every normalizer, pre-tokenizer and model against hashes of what the reference makes of every
// character of the first two planes and of random strings (scripts/make_golden_steps.py has the
// other half, and a form that covers all planes).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "engine/base/message.hpp"
#include "engine/text/unicode.hpp"
#include "headway/tokenizer.hpp"
#include "tests/text/golden_kinds.hpp"

namespace headway {
namespace {

constexpr uint32_t kChunk = 16384;

class Encoder {
 public:
  explicit Encoder(const std::string& name) : tokenizer_(open_kind(name, "#")) {}
  void add(std::string_view text, GoldenHash& hash) {
    ids_.clear();
    tokenizer_.encode_append(text, {.add_special_tokens = false}, ids_);
    hash.add_text(ids_);
  }

 private:
  Tokenizer tokenizer_;
  std::vector<int32_t> ids_;
};

uint64_t hash_scalars(Encoder& encode, uint32_t first) {
  GoldenHash hash;
  for (uint32_t c = first; c < first + kChunk; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string character;
    append_utf8(character, c);
    for (const std::string& text : {character, "a" + character + "b", " " + character + " "})
      encode.add(text, hash);
  }
  return hash.value;
}

// name -> what ("1c000": a chunk of scalars, "#3": a block of random strings) -> hash
std::map<std::string, std::map<std::string, uint64_t>> read_hashes() {
  std::map<std::string, std::map<std::string, uint64_t>> hashes;
  std::ifstream file(golden_directory() / "tokenizer/steps.txt");
  uint64_t hash;
  std::string what, name;
  while (file >> std::hex >> hash >> what && std::getline(file >> std::ws, name))
    hashes[name][what] = hash;
  return hashes;
}

class GoldenSteps : public testing::TestWithParam<std::string> {};

TEST_P(GoldenSteps, EveryScalarAndRandomStrings) {
  Encoder encode(GetParam());
  const auto hashes = read_hashes()[GetParam()];
  size_t blocks = 0;
  for (const auto& [what, expected] : hashes) {
    if (what[0] == '#') {
      ++blocks;
      continue;
    }
    const auto first = static_cast<uint32_t>(std::stoul(what, nullptr, 16));
    EXPECT_EQ(hash_scalars(encode, first), expected) << "scalar values from U+" << what;
  }
  EXPECT_EQ(hashes.size() - blocks, 9u);
  EXPECT_EQ(blocks, 30u);
  Draw draw(0x9E3779B97F4A7C15);
  for (size_t block = 0; block < blocks; ++block) {
    GoldenHash hash;
    for (int i = 0; i < 100; ++i) encode.add(random_text(draw), hash);
    EXPECT_EQ(hash.value, hashes.at(cat("#", block))) << "random strings " << block;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, GoldenSteps, testing::ValuesIn(names_of(read_hashes())), test_name);

}  // namespace
}  // namespace headway
