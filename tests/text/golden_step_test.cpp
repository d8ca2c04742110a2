// Every normalizer, pre-tokenizer and model against hashes of what the reference makes of every
// character of the first two planes and of random strings (scripts/make_golden_steps.py has the
// other half, and a form that covers all planes).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "engine/base/message.hpp"
#include "engine/formats/json.hpp"
#include "engine/text/unicode.hpp"
#include "headway/tokenizer.hpp"
#include "tests/text/directory.hpp"
#include "tests/text/golden_hash.hpp"
#include "tests/text/small_tokenizer.hpp"

namespace headway {
namespace {

constexpr uint32_t kChunk = 16384;

// The model whose ids are the bytes of the words: see the script.
std::string transcript_model() {
  std::string model =
      R"({"type":"BPE","continuing_subword_prefix":"#","byte_fallback":true,"merges":[],"vocab":{)";
  for (int byte = 0; byte < 256; ++byte) {
    char entry[24];
    std::snprintf(entry, sizeof entry, "%s\"<0x%02X>\":%d", byte ? "," : "", byte, byte);
    model += entry;
  }
  return model + "}}";
}

// The value of `key` in a line of JSON that ends with the value of "pre_tokenizer".
std::string field(const std::string& line, const std::string& key, const std::string& next) {
  const std::string name = cat("\"", key, "\": ");
  const size_t begin = line.find(name) + name.size();
  return line.substr(begin, line.find(next, begin) - begin);
}

Tokenizer open(const std::string& name) {
  const auto folder = golden_directory() / "tokenizer";
  if (std::filesystem::exists(folder / "models" / (name + ".json"))) return open_trained(name);
  std::ifstream steps(folder / "steps.jsonl");
  for (std::string line; std::getline(steps, line);) {
    if (Json::parse(line, "steps.jsonl").root().at("name").as_string() != name) continue;
    line.pop_back();  // the closing brace
    const std::string file =
        cat(R"({"normalizer":)", field(line, "normalizer", ", \"pre_tokenizer\""),
            R"(,"pre_tokenizer":)", line.substr(line.find("\"pre_tokenizer\": ") + 17),
            R"(,"model":)", transcript_model(), "}");
    return Tokenizer::open(TestDirectory(Files{{"tokenizer.json", file}}).path());
  }
  throw std::runtime_error("no such kind: " + name);
}

class Encoder {
 public:
  explicit Encoder(const std::string& name) : tokenizer_(open(name)) {}
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

// The same as PIECES of the script.
const std::string kPieces[] = {" ",
                               " ",
                               " ",
                               "  ",
                               "   ",
                               "\n",
                               "\r\n",
                               " \n ",
                               "\t",
                               "'s",
                               "'S",
                               "'\u017f",
                               "'ll",
                               "'re",
                               "'T",
                               "\u212a",
                               "the",
                               "The",
                               "THE",
                               "of",
                               " and",
                               "licence",
                               "Software",
                               "a",
                               "b",
                               "ab",
                               "abc",
                               "x",
                               "1",
                               "12",
                               "1234",
                               "3.14",
                               ",",
                               ".",
                               "...",
                               "!?",
                               "(",
                               ")",
                               "-",
                               "_",
                               "#",
                               "/",
                               "\u00e9",
                               "e\u0301",
                               "\u0301",
                               "\u0323",
                               "\u0308",
                               "\ufb01",
                               "\u212b",
                               "\uac01",
                               "\u1100\u1161\u11a8",
                               "\u1161",
                               "\u11a8",
                               "\u4e2d\u6587",
                               "\u3042",
                               "\u30ab",
                               "\u2581",
                               "\u2581the",
                               "<unk>",
                               "<s>",
                               "</s>",
                               "<0x0A>",
                               "\u00a0",
                               "\u3000",
                               "\u200b",
                               "\u200d",
                               "\U0001f600",
                               "\U0001f1e9\U0001f1ea",
                               "\u0915\u094d\u0915",
                               "\u1ebf",
                               "\u1e9b\u0323",
                               "\u0130",
                               "\u03a3",
                               "\u00df",
                               "\u00bd",
                               "\u2160",
                               "\u0663",
                               "\ufffd",
                               std::string(1, '\0')};

std::string random_text(Draw& draw) {
  std::string text;
  for (uint32_t length = draw.below(24); length > 0; --length) {
    if (draw.below(2)) {
      text += kPieces[draw.below(std::size(kPieces))];
    } else {
      const auto& range = kGoldenRanges[draw.below(std::size(kGoldenRanges))];
      append_utf8(text, range[0] + draw.below(range[1] - range[0] + 1));
    }
  }
  return text;
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

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& [name, hashes] : read_hashes()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Kinds, GoldenSteps, testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace headway
