// The public tokenizer on a vocabulary of a few tokens.
#include "headway/tokenizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/support/expect_error.hpp"
#include "tests/text/small_tokenizer.hpp"

namespace headway {
namespace {

using Ids = std::vector<int32_t>;

Ids plain(const Tokenizer& tokenizer, std::string_view text) {
  return tokenizer.encode(text, {.add_special_tokens = false}).ids;
}

TEST(Tokenizer, CutsWordsIntoTheLongestPieces) {
  const Tokenizer tokenizer = open_small();
  EXPECT_EQ(tokenizer.encode("Hello, unaffable").ids, (Ids{2, 5, 13, 6, 7, 8, 3}));
  EXPECT_EQ(plain(tokenizer, "aab"), (Ids{9, 10, 12}));
  EXPECT_EQ(plain(tokenizer, "unx hello"), (Ids{1, 5}));  // one bad part spoils the word
  EXPECT_EQ(plain(tokenizer, ""), Ids{});
  EXPECT_EQ(tokenizer.encode("").ids, (Ids{2, 3}));
}

TEST(Tokenizer, NormalizesAsBertDoes) {
  const Tokenizer tokenizer = open_small();
  EXPECT_EQ(plain(tokenizer, "\u00c1\u00e9"), (Ids{9, 17}));
  EXPECT_EQ(plain(tokenizer, "a\u0301\u0323b"), (Ids{9, 12}));
  EXPECT_EQ(plain(tokenizer, "a\tb\nb\rb"), (Ids{9, 11, 11, 11}));
  EXPECT_EQ(plain(tokenizer, "a\u00a0b\u3000b"), (Ids{9, 11, 11}));
  EXPECT_EQ(plain(tokenizer, "a\vb\u0085b\u00adb\u200bb"), (Ids{9, 12, 12, 12, 12}));  // vanish
  EXPECT_EQ(plain(tokenizer, std::string("a\0b", 3)), (Ids{9, 12}));
  EXPECT_EQ(plain(tokenizer,
                  "a\ufffd"
                  "b"),
            (Ids{9, 12}));
  EXPECT_EQ(plain(tokenizer,
                  "a\u4e2d"
                  "b"),
            (Ids{9, 1, 11}));  // spaces around an ideograph
}

TEST(Tokenizer, InvalidUtf8ReadsAsReplacementCharacters) {
  const Tokenizer tokenizer = open_small();
  EXPECT_EQ(plain(tokenizer,
                  "a\x80\xE2\x82"
                  "b\xF0"),
            (Ids{9, 12}));  // and they vanish
  SmallJson json;
  json.normalizer = "null";
  const Tokenizer bare = open_small(json);
  EXPECT_EQ(plain(bare, "a\x80"), plain(bare, "a\ufffd"));
  EXPECT_EQ(plain(bare, "a\x80"), Ids{1});
  EXPECT_EQ(plain(bare, "\x80[MASK]\xC3"), (Ids{1, 4, 1}));
}

TEST(Tokenizer, WordsOfMoreThan100CharactersAreUnknown) {
  const Tokenizer tokenizer = open_small();
  EXPECT_EQ(plain(tokenizer, std::string(100, 'a')).size(), 100u);
  EXPECT_EQ(plain(tokenizer, std::string(101, 'a')), Ids{1});
  std::string accents, marks;
  for (int i = 0; i < 100; ++i) accents += "\u00e9";  // 200 bytes
  EXPECT_EQ(plain(tokenizer, accents).size(), 100u);
  EXPECT_EQ(plain(tokenizer, accents + "\u00e9"), Ids{1});
  for (int i = 0; i < 100; ++i) marks += "e\u0301";  // 200 characters before normalization
  EXPECT_EQ(plain(tokenizer, marks).size(), 100u);
  EXPECT_EQ(plain(tokenizer, std::string(101, 'a') + "," + "b"), (Ids{1, 13, 11}));
}

TEST(Tokenizer, SpecialTokensInTheText) {
  const Tokenizer tokenizer = open_small();
  EXPECT_EQ(tokenizer.encode("a[MASK]b [SEP]").ids, (Ids{2, 9, 4, 11, 3, 3}));
  EXPECT_EQ(plain(tokenizer, "[mask]"), (Ids{14, 18, 15}));  // only as it is written
  EncodeOptions options{.add_special_tokens = false, .encode_special_tokens = true};
  EXPECT_EQ(tokenizer.encode("a[MASK]b", options).ids, (Ids{9, 14, 18, 15, 11}));
}

TEST(Tokenizer, TruncatesAtTheLimit) {
  const Tokenizer tokenizer = open_small();
  const std::string text = "hello a unaffable [MASK] b";
  const Ids all = plain(tokenizer, text);
  ASSERT_EQ(all, (Ids{5, 9, 6, 7, 8, 4, 11}));
  for (size_t room = 0; room <= all.size() + 1; ++room) {
    Ids expected(all.begin(), all.begin() + std::min(room, all.size()));
    Encoding encoding = tokenizer.encode(text, {.max_length = room, .add_special_tokens = false});
    EXPECT_EQ(encoding.ids, expected);
    EXPECT_EQ(encoding.truncated, room < all.size());
    expected.insert(expected.begin(), 2);
    expected.push_back(3);
    encoding = tokenizer.encode(text, {.max_length = room + 2});
    EXPECT_EQ(encoding.ids, expected);
    EXPECT_EQ(encoding.truncated, room < all.size());
  }
  // What is dropped must be a token: spaces behind the last one are none.
  EXPECT_FALSE(tokenizer.encode("a   \u200b ", {.max_length = 3}).truncated);
  for (const size_t length : {size_t{0}, size_t{1}})
    expect_error(ErrorCode::invalid_argument, "max_length: expected at least 2",
                 [&] { tokenizer.encode("a", {.max_length = length}); });
}

TEST(Tokenizer, AppendsToWhatIsThere) {
  const Tokenizer tokenizer = open_small();
  Ids ids{77};
  EXPECT_FALSE(tokenizer.encode_append("a", {}, ids));
  EXPECT_TRUE(tokenizer.encode_append("a b", {.max_length = 3}, ids));
  EXPECT_EQ(ids, (Ids{77, 2, 9, 3, 2, 9, 3}));
  expect_error(ErrorCode::invalid_argument, "max_length",
               [&] { tokenizer.encode_append("a", {.max_length = 1}, ids); });
  EXPECT_EQ(ids.size(), 7u);
}

TEST(Tokenizer, CutsOnTheLeft) {
  const Tokenizer tokenizer = open_small();
  EncodeOptions options{.max_length = 4, .side = TruncationSide::left};
  EXPECT_EQ(tokenizer.encode("a b hello", options).ids, (Ids{2, 11, 5, 3}));
  Ids ids{77};
  EXPECT_TRUE(tokenizer.encode_append("a b hello", options, ids));
  EXPECT_FALSE(tokenizer.encode_append("a", options, ids));
  EXPECT_EQ(ids, (Ids{77, 2, 11, 5, 3, 2, 9, 3}));
}

SmallJson with_pairs() {
  SmallJson json;
  json.post_processor = R"({"type":"BertProcessing","cls":["[CLS]",2],"sep":["[SEP]",3]})";
  return json;
}

TEST(Tokenizer, PairsAppendToWhatIsThere) {
  const Tokenizer tokenizer = open_small(with_pairs());
  EXPECT_EQ(tokenizer.pair_special_tokens(), 3u);
  Ids ids{77}, types{88};
  EXPECT_FALSE(tokenizer.encode_pair_append("a", "b b", {}, ids, types));
  EXPECT_EQ(ids, (Ids{77, 2, 9, 3, 11, 11, 3}));
  EXPECT_EQ(types, (Ids{88, 0, 0, 0, 1, 1, 1}));
  expect_error(ErrorCode::invalid_argument, "max_length: expected at least 3",
               [&] { tokenizer.encode_pair_append("a", "b", {.max_length = 2}, ids, types); });
  const EncodeOptions only{.max_length = 4, .strategy = TruncationStrategy::only_first};
  expect_error(ErrorCode::invalid_argument, "only the first text may be cut",
               [&] { tokenizer.encode_pair_append("a", "b", only, ids, types); });
  EXPECT_EQ(ids.size(), 7u);
  EXPECT_EQ(types.size(), 7u);
}

// Where the texts are not read to their ends, the longer one still gets the odd id.
TEST(Tokenizer, LongPairsAreCutEvenly) {
  const Tokenizer tokenizer = open_small(with_pairs());
  std::string long_text = "hello", longer = "a";
  for (int i = 0; i < 100; ++i) long_text += " hello";
  for (int i = 0; i < 200; ++i) longer += " a";
  for (const size_t room : {size_t{6}, size_t{7}}) {
    const EncodeOptions options{.max_length = room, .add_special_tokens = false};
    Ids expected(room / 2, 5);
    expected.insert(expected.end(), room - room / 2, 9);
    EXPECT_EQ(tokenizer.encode_pair(long_text, longer, options).ids, expected);
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(tokenizer.encode_pair(longer, long_text, options).ids, expected);
  }
}

TEST(Tokenizer, ATemplateThatDoesNotHoldBothTexts) {
  expect_error(ErrorCode::unsupported, "its template for pairs does not hold each text once",
               [] { open_small().encode_pair("a", "b"); });
}

TEST(Tokenizer, NamesItsTokens) {
  const Tokenizer tokenizer = open_small();
  EXPECT_EQ(tokenizer.token_to_id("##able"), 8);
  EXPECT_EQ(tokenizer.token_to_id("[MASK]"), 4);
  EXPECT_EQ(tokenizer.token_to_id("##ab"), std::nullopt);
  EXPECT_EQ(tokenizer.token_to_id(""), std::nullopt);
  EXPECT_EQ(tokenizer.id_to_token(5), "hello");
  EXPECT_EQ(tokenizer.id_to_token(19), std::nullopt);
  EXPECT_EQ(tokenizer.id_to_token(-1), std::nullopt);
  EXPECT_EQ(tokenizer.vocab_size(), 19);

  SmallJson json;
  json.added_tokens = R"([{"id":19,"content":"<x>"}])";
  const Tokenizer more = open_small(json);
  EXPECT_EQ(more.token_to_id("<x>"), 19);
  EXPECT_EQ(more.id_to_token(19), "<x>");
  EXPECT_EQ(more.vocab_size(), 20);
  EXPECT_EQ(plain(more, "<x>"), Ids{19});
}

TEST(Tokenizer, MakesTokensSpecial) {
  SmallJson json;
  json.added_tokens = R"([{"id":19,"content":"Q","normalized":true}])";
  const TestDirectory directory(Files{{"tokenizer.json", json.text()}});
  EXPECT_EQ(plain(Tokenizer::open(directory.path()), "Qq ##a"), (Ids{19, 19, 1, 1, 9}));
  const Tokenizer special = Tokenizer::open(directory.path(), {.special_tokens = {"Q", "##a"}});
  EXPECT_EQ(plain(special, "Qq ##a"), (Ids{19, 1, 10}));
  EXPECT_EQ(special.vocab_size(), 20);
  EXPECT_EQ(special.decode(Ids{19, 11}), "b");
  expect_error(ErrorCode::invalid_argument, "special_tokens: the tokenizer has no token \"##z\"",
               [&] { Tokenizer::open(directory.path(), {.special_tokens = {"##z"}}); });
}

TEST(Tokenizer, KnowsTheRolesOfItsTokens) {
  const auto open_with = [](const char* config) {
    const TestDirectory directory(
        Files{{"tokenizer.json", SmallJson().text()}, {"tokenizer_config.json", config}});
    return Tokenizer::open(directory.path());
  };
  EXPECT_EQ(open_small().special_token("mask_token"), std::nullopt);  // no file says
  const Tokenizer named = open_with(
      R"({"mask_token":"[MASK]","eos_token":{"content":"hello"},"bos_token":"<s>","my_token":"b"})");
  EXPECT_EQ(named.special_token("mask_token"), 4);
  EXPECT_EQ(named.special_token("eos_token"), 5);
  EXPECT_EQ(named.special_token("bos_token"), 19);  // a new one
  EXPECT_EQ(named.special_token("my_token"), 11);
  EXPECT_EQ(named.special_token("pad_token"), std::nullopt);
  EXPECT_EQ(named.special_token(""), std::nullopt);
  const Tokenizer by_class = open_with(R"({"tokenizer_class":"BertTokenizer"})");
  EXPECT_EQ(by_class.special_token("mask_token"), 4);
  EXPECT_EQ(by_class.special_token("unk_token"), 1);
}

TEST(Tokenizer, KnowsWhetherAPrefixTellsSubwords) {
  for (const char* name : kTrainedModels) {
    const bool has_prefix = std::string(name) == "word-piece" || std::string(name) == "bpe-prefix";
    EXPECT_EQ(open_trained(name).marks_subwords(), has_prefix) << name;
  }
}

TEST(Tokenizer, JoinsTokensOfAnyOrigin) {
  EXPECT_EQ(open_small().join({"un", "##aff", "Zo\u00eb"}), "un ##aff Zo\u00eb");  // no decoder
  EXPECT_EQ(open_small().join({}), "");
  SmallJson json;
  json.decoder = R"({"type":"WordPiece","prefix":"##","cleanup":true})";
  EXPECT_EQ(open_small(json).join({"un", "##aff", "Zo\u00eb", "."}), "unaff Zo\u00eb.");
}

TEST(Tokenizer, CopiesShareAndThreadsMayUseIt) {
  const Tokenizer tokenizer = Tokenizer(open_small());
  const Ids expected = tokenizer.encode("Hello, \u00e1unaffable [MASK]").ids;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int& count : wrong)
    threads.emplace_back([copy = tokenizer, &count, &expected] {
      for (int i = 0; i < 2000; ++i)
        count += copy.encode("Hello, \u00e1unaffable [MASK]").ids != expected;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

}  // namespace
}  // namespace headway
