// Every character and random strings against hashes of what the reference makes of them
// (scripts/make_golden_tokenizer.py has the other half: generator, hash and normalizers).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/text/text_pipeline.hpp"
#include "engine/text/unicode.hpp"
#include "tests/text/directory.hpp"
#include "tests/text/golden_hash.hpp"

namespace headway {
namespace {

struct NamedNormalizer {
  const char* name;
  BertNormalizerOptions options;  // clean_text, handle_chinese_chars, strip_accents, lowercase
};

constexpr NamedNormalizer kNormalizers[] = {
    {"uncased", {true, true, true, true}},   {"cased", {true, true, false, false}},
    {"accents", {true, false, false, true}}, {"dirty", {false, true, true, true}},
    {"bare", {false, false, true, false}},
};

// Scalar c is token 2c, or 2c + 1 inside a word: the ids are a transcript of the characters.
TokenizerParts every_character() {
  TokenizerParts parts;
  parts.vocabulary.add("[UNK]", 0);
  parts.model = WordPieceOptions{.unknown = 0};
  parts.pre_tokenizers = {BertWordSplit()};
  std::string text;
  for (int32_t c = 1; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    text = "##";
    append_utf8(text, static_cast<char32_t>(c));
    parts.vocabulary.add(std::string_view(text).substr(2), 2 * c);
    parts.vocabulary.add(text, 2 * c + 1);
  }
  return parts;
}

class Encoder {
 public:
  Encoder(TokenizerParts& parts, const BertNormalizerOptions& options) {
    parts.normalizers = {BertNormalization{options}};
    pipeline_ = std::make_unique<TextPipeline>(parts);
  }
  const std::vector<int32_t>& operator()(std::string_view text) {
    ids_.clear();
    pipeline_->encode(text, SIZE_MAX, false, workspace_, ids_);
    return ids_;
  }

 private:
  std::unique_ptr<TextPipeline> pipeline_;
  TextWorkspace workspace_;
  std::vector<int32_t> ids_;
};

uint64_t hash_block(Encoder& encode, uint32_t block, bool relative) {
  GoldenHash hash;
  for (uint32_t c = block * 256; c < block * 256 + 256; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string character;
    append_utf8(character, c);
    for (const std::string& text : {character, "a" + character + "b", " " + character + " "}) {
      for (const int32_t id : encode(text)) {
        const auto word = static_cast<uint32_t>(id);
        hash.add(relative && word >> 9 == block ? (word & 511) | 1u << 31 : word);
      }
      hash.add(0xFFFFFFFF);
    }
  }
  return hash.value;
}

void check_scalars(TokenizerParts& parts, const std::string& vocabulary,
                   const NamedNormalizer& normalizer) {
  std::ifstream file(golden_directory() / "tokenizer/scalars.txt");
  Encoder encode(parts, normalizer.options);
  std::string of, name;
  uint32_t first, last, next = 0;
  uint64_t expected;
  while (file >> of >> name >> std::hex >> first >> last >> expected) {
    if (of != vocabulary || name != normalizer.name) continue;
    EXPECT_EQ(first, next);
    for (uint32_t block = first; block <= last; ++block)
      EXPECT_EQ(hash_block(encode, block, vocabulary == "characters"), expected)
          << vocabulary << " " << name << ": U+" << std::hex << block * 256 << " to U+"
          << block * 256 + 255 << " differ from the reference";
    next = last + 1;
  }
  EXPECT_EQ(next, 0x1100u);
}

void check_fuzz(TokenizerParts& parts, const std::string& vocabulary,
                const NamedNormalizer& normalizer) {
  std::map<uint32_t, uint64_t> expected;
  std::ifstream file(golden_directory() / "tokenizer/fuzz.txt");
  std::string of, name;
  uint32_t block;
  uint64_t value;
  while (file >> of >> name >> std::dec >> block >> std::hex >> value)
    if (of == vocabulary && name == normalizer.name) expected[block] = value;
  ASSERT_EQ(expected.size(), 100u);

  Encoder encode(parts, normalizer.options);
  Draw draw(0x9E3779B97F4A7C15);
  for (block = 0; block < 100; ++block) {
    GoldenHash hash;
    for (int i = 0; i < 100; ++i) {
      std::string text;
      for (uint32_t length = draw.below(40); length > 0; --length) {
        const auto& range = kGoldenRanges[draw.below(std::size(kGoldenRanges))];
        append_utf8(text, range[0] + draw.below(range[1] - range[0] + 1));
      }
      for (const int32_t id : encode(text)) hash.add(static_cast<uint32_t>(id));
      hash.add(0xFFFFFFFF);
    }
    EXPECT_EQ(hash.value, expected[block])
        << vocabulary << " " << normalizer.name << ": block " << block << " of 100 strings";
  }
}

TEST(GoldenCharacters, EveryScalarAndRandomStringsCharacterByCharacter) {
  TokenizerParts parts = every_character();
  for (const NamedNormalizer& normalizer : kNormalizers) {
    check_scalars(parts, "characters", normalizer);
    check_fuzz(parts, "characters", normalizer);
  }
}

TEST(GoldenCharacters, EveryScalarAndRandomStringsWithTheModel) {
  TokenizerParts parts = read_tokenizer(minilm_directory());
  check_scalars(parts, "minilm", kNormalizers[0]);
  for (const NamedNormalizer& normalizer : kNormalizers) check_fuzz(parts, "minilm", normalizer);
}

// The hashes must be able to tell: a normalizer that is wrong in one flag differs.
TEST(GoldenCharacters, TheHashSeesAWrongFlag) {
  TokenizerParts parts = every_character();
  Encoder right(parts, kNormalizers[0].options);
  BertNormalizerOptions wrong = kNormalizers[0].options;
  wrong.strip_accents = false;
  Encoder other(parts, wrong);
  EXPECT_NE(hash_block(right, 0, true), hash_block(other, 0, true));
}

}  // namespace
}  // namespace headway
