// Masks and what fills them, against the pipeline of transformers (scripts/make_golden_tokens.py).
#include "headway/masked_lm.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/support/expect_error.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

using Masks = std::vector<std::vector<FilledToken>>;

// Scores bit for bit.
bool same(const Masks& a, const Masks& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const FilledToken& s, const FilledToken& t) {
                        return std::tie(s.id, s.text, s.score) == std::tie(t.id, t.text, t.score);
                      });
  });
}

RunOptions on_one_thread() {
  RunOptions options;
  options.threads = 1;
  return options;
}

class GoldenMasks : public testing::TestWithParam<const char*> {
 protected:
  std::string name = std::string("tokens/") + GetParam();
  Json expected = Json::parse(read_golden(name + "/expected.json"), name);
  std::vector<std::string_view> texts = strings(expected.root().at("masked"));
  MaskedLM model = MaskedLM::open(golden_path(name));
};

TEST_P(GoldenMasks, AreFilledAsByTheReference) {
  const FilledMasks filled = model.fill_mask(texts, 3);
  const JsonNode all = expected.root().at("masks");
  ASSERT_EQ(filled.texts.size(), all.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    SCOPED_TRACE(texts[i]);
    ASSERT_EQ(filled.texts[i].size(), all[i].size());
    for (size_t mask = 0; mask < all[i].size(); ++mask) {
      ASSERT_EQ(filled.texts[i][mask].size(), 3u);
      for (size_t rank = 0; rank < 3; ++rank) {
        const FilledToken& token = filled.texts[i][mask][rank];
        EXPECT_EQ(token.id, all[i][mask][rank][0].as_int64());
        EXPECT_EQ(token.text, all[i][mask][rank][1].as_string());
        EXPECT_NEAR(token.score, all[i][mask][rank][2].as_double(), 1e-5);
      }
    }
  }
  EXPECT_EQ(filled.stats.texts, static_cast<int64_t>(texts.size()));
  EXPECT_EQ(filled.stats.truncated, 1);
  EXPECT_NE(texts[0].find(model.mask_token()), std::string::npos);
}

TEST_P(GoldenMasks, AreFilledWhateverElseIs) {
  const FilledMasks all = model.fill_mask(texts);
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_TRUE(same(all.texts[i],
                     model.fill_mask(std::span(texts).subspan(i, 1), 5, on_one_thread()).texts[0]));
  EXPECT_TRUE(model.fill_mask({}).texts.empty());
}

INSTANTIATE_TEST_SUITE_P(All, GoldenMasks,
                         testing::Values("bert", "modernbert", "roberta", "xlm-roberta"));

// More than are computed at once, so that a text's masks are cut in two.
TEST(MaskedLM, FillsAnyNumberOfMasks) {
  const auto model = MaskedLM::open(golden_path("tokens/bert"));
  std::string text = "the";
  for (int i = 0; i < 21; ++i) text += " [MASK]";
  const auto room = (int64_t{1} << 24) / model.info().vocabulary;
  ASSERT_NE(room % 21, 0);
  const std::vector<std::string_view> many(static_cast<size_t>(room / 21 + 2), text);
  const FilledMasks all = model.fill_mask(many, 1);
  const Masks one = model.fill_mask(std::span(many).first(1), 1, on_one_thread()).texts[0];
  EXPECT_EQ(one.size(), 21u);
  for (size_t i = 0; i < many.size(); ++i) ASSERT_TRUE(same(all.texts[i], one)) << i;
}

TEST(MaskedLM, GivesTheWholeVocabulary) {
  const auto model = MaskedLM::open(golden_path("tokens/bert"));
  const std::vector<std::string_view> texts = {"[MASK]"};
  const auto vocabulary = static_cast<size_t>(model.info().vocabulary);
  const auto tokens = model.fill_mask(texts, vocabulary).texts[0][0];
  ASSERT_EQ(tokens.size(), vocabulary);
  double sum = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    sum += tokens[i].score;
    EXPECT_GE(tokens[i == 0 ? 0 : i - 1].score, tokens[i].score);
  }
  EXPECT_NEAR(sum, 1, 1e-6);
  for (const size_t top_k : {size_t{0}, vocabulary + 1})
    expect_error(
        ErrorCode::invalid_argument,
        "top_k: expected 1 to " + std::to_string(vocabulary) + ", found " + std::to_string(top_k),
        [&] { model.fill_mask({}, top_k); });
}

TEST(MaskedLM, NamesTheTextWithoutAMask) {
  const auto model = MaskedLM::open(golden_path("tokens/bert"));
  std::string cut;
  for (int i = 0; i < 30; ++i) cut += "the ";
  cut += "[MASK]";
  const auto refused = [&](std::string_view text, const char* message) {
    const std::vector<std::string_view> texts = {"[MASK]", "a [MASK]", text};
    expect_error(ErrorCode::invalid_argument, message, [&] { model.fill_mask(texts); });
  };
  refused("", "texts[2]: no mask token \"[MASK]\" among its 2 tokens");
  refused("the <mask>", "texts[2]: no mask token");
  refused(cut, "texts[2]: no mask token \"[MASK]\" among its 24 tokens");
}

TEST(MaskedLM, RefusesWhatHasNoMasks) {
  const TempDir dir;
  dir.copy(golden_path("tokens/modernbert"));
  dir.replace("tokenizer_config.json", "\"mask_token\": \"<mask>\",", "");
  expect_error(ErrorCode::unsupported, "field \"mask_token\": expected the token",
               [&] { MaskedLM::open(dir.path()); });
  expect_error(ErrorCode::not_found, "cls.predictions",
               [] { MaskedLM::open(golden_path("tasks/classifier")); });
  expect_error(ErrorCode::unsupported, "module \"SpladePooling\"",
               [] { MaskedLM::open(golden_path("tasks/sparse")); });
}

}  // namespace
}  // namespace headway
