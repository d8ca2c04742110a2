// What heads look at: against the oracle, against transformers, and what is read from the maps.
#include "headway/heads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/models/bert_reference.hpp"
#include "tests/models/tiny_model.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/golden.hpp"

namespace headway {
namespace {

using testing::ElementsAre;

Heads open_tiny(const TinyModel& tiny) {
  const TempDir dir;
  tiny.write(dir);
  return Heads::open(dir.path());
}

void expect_near(std::span<const float> got, const auto& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], expected[i], tolerance) << "element " << i;
}

void expect_rows_of_sum_1(const AttentionMaps& maps) {
  const size_t tokens = maps.tokens.size();
  for (size_t begin = 0; begin < maps.weights.size(); begin += tokens) {
    double sum = 0;
    for (size_t i = 0; i < tokens; ++i) sum += maps.weights[begin + i];
    ASSERT_NEAR(sum, 1, 1e-6) << "row " << begin / tokens;
  }
}

TEST(Heads, LookWhereThePaperSays) {
  const TinyModel tiny(3);
  const AttentionMaps maps = open_tiny(tiny).look("e A y");
  EXPECT_THAT(maps.tokens, ElementsAre("[CLS]", "e", "a", "y", "[SEP]"));
  EXPECT_THAT(maps.special, ElementsAre(true, false, false, false, true));
  EXPECT_FALSE(maps.truncated);
  EXPECT_EQ(maps.first_layer, 0);
  EXPECT_EQ(maps.layers, 3);
  EXPECT_EQ(maps.heads, 2);
  const reference::BertResult expected =
      reference::bert(tiny, 3, {2, 9, 5, 29, 3}, {0, 0, 0, 0, 0}, reference::gelu_erf);
  // As for hidden states: a wrong formula is off by 1e-3 and more.
  expect_near(maps.weights, expected.attention, 2e-5);
  expect_rows_of_sum_1(maps);
}

TEST(Heads, OfOneLayerAreThoseOfAll) {
  const Heads heads = open_tiny(TinyModel(3));
  const AttentionMaps all = heads.look("a b c");
  for (int64_t layer = 0; layer < 3; ++layer) {
    const AttentionMaps one = heads.look("a b c", layer);
    EXPECT_EQ(one.first_layer, layer);
    EXPECT_EQ(one.layers, 1);
    EXPECT_EQ(one.weights.size(), 2u * 5 * 5);
    for (int64_t head = 0; head < 2; ++head)
      EXPECT_TRUE(std::ranges::equal(one.map(layer, head), all.map(layer, head))) << layer;
  }
  for (const int64_t layer : {int64_t{-1}, int64_t{3}, std::numeric_limits<int64_t>::min()})
    expect_error(ErrorCode::invalid_argument, cat("layer: expected 0 to 2, found ", layer),
                 [&] { heads.look("a", layer); });
}

TEST(Heads, TakeTextsOfAnyLength) {
  const Heads heads = open_tiny(TinyModel());
  EXPECT_THAT(heads.look("").tokens, ElementsAre("[CLS]", "[SEP]"));
  const AttentionMaps cut = heads.look("a b c d e f g h i j k l m n o");
  EXPECT_EQ(cut.tokens.size(), 16u);
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.weights, heads.look("a b c d e f g h i j k l m n").weights);
}

TEST(Heads, NeedNoPoolingThatIsKnown) {
  TinyModel tiny;
  tiny.files["1_Pooling/config.json"] = R"({"word_embedding_dimension": 8,
    "pooling_mode_max_tokens": true})";
  EXPECT_EQ(open_tiny(tiny).look("a").layers, 1);
  tiny.config["model_type"] = "\"other\"";
  expect_error(ErrorCode::unsupported, "model_type", [&] { open_tiny(tiny); });
}

TEST(Heads, AreThoseOfTheReference) {
  const AttentionMaps maps = Heads::open(real_model_directory()).look(golden_texts()[14]);
  EXPECT_THAT(maps.tokens,
              ElementsAre("[CLS]", "each", "head", "looks", "at", "8", "numbers", "[SEP]"));
  // Two float32 implementations of six layers differ by 1e-6 or so.
  expect_near(maps.weights, read_golden_floats("minilm/attention_14.npy"), 1e-5);
  expect_rows_of_sum_1(maps);
}

// One layer, number 5, of two heads.
AttentionMaps small_maps() {
  AttentionMaps maps;
  maps.tokens = {"[CLS]", "a", "b", "[SEP]"};
  maps.special = {true, false, false, true};
  maps.first_layer = 5;
  maps.layers = 1;
  maps.heads = 2;
  maps.weights = {0.25, 0.25, 0.25, 0.25,  //
                  0,    0.5,  0.5,  0,     //
                  0,    1,    0,    0,     //
                  0,    0,    0.25, 0.75,  //
                  1,    0,    0,    0,     //
                  0,    1,    0,    0,     //
                  0,    0,    1,    0,     //
                  0,    0,    0,    1};
  return maps;
}

TEST(AttentionMaps, GiveTheMapOfAHead) {
  const AttentionMaps maps = small_maps();
  EXPECT_EQ(maps.map(5, 0).size(), 16u);
  EXPECT_EQ(maps.map(5, 0)[15], 0.75f);
  EXPECT_EQ(maps.map(5, 1)[15], 1);
  for (const int64_t layer : {int64_t{4}, int64_t{6}, std::numeric_limits<int64_t>::min()})
    expect_error(ErrorCode::invalid_argument, cat("layer: expected 5 to 5, found ", layer),
                 [&] { maps.map(layer, 0); });
  for (const int64_t head : {-1, 2})
    expect_error(ErrorCode::invalid_argument, cat("head: expected 0 to 1, found ", head),
                 [&] { attention_entropy(maps, 5, head); });
}

TEST(AttentionMaps, HaveTheEntropyThatShannonSays) {
  const AttentionMaps maps = small_maps();
  const double last = -0.25 * std::log2(0.25) - 0.75 * std::log2(0.75);
  EXPECT_NEAR(attention_entropy(maps, 5, 0), (2 + 1 + 0 + last) / 4, 1e-12);
  EXPECT_EQ(attention_entropy(maps, 5, 1), 0);
}

std::vector<std::string> links(const AttentionMaps& maps, size_t count, bool words_only = false) {
  std::vector<std::string> found;
  for (const AttentionLink& link : strongest_links(maps, 5, 0, count, words_only))
    found.push_back(cat(link.from, ">", link.to, " ", link.weight));
  return found;
}

TEST(AttentionMaps, ListTheStrongestLinks) {
  AttentionMaps maps = small_maps();
  EXPECT_THAT(links(maps, 5), ElementsAre("2>1 1", "3>3 0.75", "1>1 0.5", "1>2 0.5", "0>0 0.25"));
  EXPECT_THAT(links(maps, 2, true), ElementsAre("2>1 1", "1>1 0.5"));
  EXPECT_THAT(links(maps, 100, true), ElementsAre("2>1 1", "1>1 0.5", "1>2 0.5"));
  EXPECT_EQ(links(maps, 100).size(), 9u);
  EXPECT_TRUE(links(maps, 0).empty());
  maps.weights[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(links(maps, 3), ElementsAre("2>1 1", "3>3 0.75", "1>2 0.5"));
}

TEST(AttentionMaps, OfNoTokensSayNothing) {
  AttentionMaps maps;
  maps.layers = maps.heads = 1;
  EXPECT_TRUE(maps.map(0, 0).empty());
  EXPECT_EQ(attention_entropy(maps, 0, 0), 0);
  EXPECT_TRUE(strongest_links(maps, 0, 0, 5).empty());
}

}  // namespace
}  // namespace headway
