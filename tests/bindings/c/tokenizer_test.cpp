// Tokenizing through the C interface gives what C++ gives.
#include "headway/tokenizer.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "tests/bindings/c/handles.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::c {
namespace {

const std::vector<std::string_view> kTexts{"A cat sleeps on the sofa.", "",
                                           std::string_view("no \0 end", 8), "not \xFF UTF-8"};

TEST(CTokenizer, IdsAreThoseOfCpp) {
  const auto handle = open_tokenizer();
  const Tokenizer tokenizer = Tokenizer::open(kModel);
  for (const std::string_view text : kTexts) {
    std::vector<int32_t> ids(64);
    auto request = sized<headway_tokenize_request>();
    request.text = {text.data(), text.size()};
    request.ids = ids.data();
    request.capacity = ids.size();
    ASSERT_EQ(headway_tokenize(handle.get(), &request, nullptr), HEADWAY_OK);
    ids.resize(request.count);
    EXPECT_EQ(ids, tokenizer.encode(text).ids);
    EXPECT_EQ(request.truncated, 0);

    request.max_length = 3;
    ids.resize(64);
    request.no_special_tokens = 1;
    ASSERT_EQ(headway_tokenize(handle.get(), &request, nullptr), HEADWAY_OK);
    ids.resize(request.count);
    EXPECT_EQ(ids, tokenizer.encode(text, {.max_length = 3, .add_special_tokens = false}).ids);
  }
}

TEST(CTokenizer, PairsAreThoseOfCpp) {
  const auto handle = open_tokenizer();
  const Tokenizer tokenizer = Tokenizer::open(kModel);
  const std::string_view first = "where is the cat?", second = "on the mat, asleep";
  const headway_text second_text = {second.data(), second.size()};
  std::vector<int32_t> ids(64), types(64, 7);
  auto request = sized<headway_tokenize_request>();
  request.text = {first.data(), first.size()};
  request.second = &second_text;
  request.max_length = 9;
  request.strategy = HEADWAY_ONLY_SECOND;
  request.side = HEADWAY_LEFT;
  request.ids = ids.data();
  request.type_ids = types.data();
  request.capacity = ids.size();
  ASSERT_EQ(headway_tokenize(handle.get(), &request, nullptr), HEADWAY_OK);
  ids.resize(request.count);
  types.resize(request.count);
  const Encoding expected = tokenizer.encode_pair(
      first, second,
      {.max_length = 9, .strategy = TruncationStrategy::only_second, .side = TruncationSide::left});
  EXPECT_EQ(ids, expected.ids);
  EXPECT_EQ(types, expected.type_ids);
  EXPECT_EQ(request.truncated, 1);

  request.second = nullptr;
  request.max_length = 0;
  types.assign(64, 7);
  ids.resize(64);
  ASSERT_EQ(headway_tokenize(handle.get(), &request, nullptr), HEADWAY_OK);
  types.resize(request.count);
  EXPECT_EQ(types, std::vector<int32_t>(request.count));

  std::vector<headway_token_offsets> offsets(64);
  request.offsets = offsets.data();
  ASSERT_EQ(headway_tokenize(handle.get(), &request, nullptr), HEADWAY_OK);
  EXPECT_EQ(offsets[0].text, -1);  // [CLS]
  EXPECT_EQ(offsets[2].text, 0);
  EXPECT_EQ(first.substr(offsets[2].begin, offsets[2].end - offsets[2].begin), "is");
}

TEST(CTokenizer, WindowsAreThoseOfCpp) {
  const auto handle = open_tokenizer();
  const Tokenizer tokenizer = Tokenizer::open(kModel);
  const std::string_view first = "where is the cat?", second = "on the mat, asleep";
  const headway_text second_text = {second.data(), second.size()};
  for (const bool pair : {false, true}) {
    const EncodeOptions options{.max_length = 8, .encode_special_tokens = true, .offsets = true};
    const auto expected =
        pair ? tokenizer.encode_pair_windows(first, second, 1, options)
             : tokenizer.encode_windows(first, 1, {.max_length = 5, .offsets = true});
    ASSERT_GT(expected.size(), 1u);
    std::vector<int32_t> ids(200), types(200, 7);
    std::vector<size_t> counts(1);
    std::vector<headway_token_offsets> offsets(200);
    auto request = sized<headway_tokenize_request>();
    request.text = {first.data(), first.size()};
    request.second = pair ? &second_text : nullptr;
    request.max_length = pair ? 8 : 5;
    request.encode_special_tokens = pair;
    request.stride = 1;
    request.ids = ids.data();
    request.type_ids = types.data();
    request.offsets = offsets.data();
    request.capacity = ids.size();
    request.window_counts = counts.data();
    request.window_capacity = counts.size();
    ASSERT_EQ(headway_tokenize(handle.get(), &request, nullptr), HEADWAY_BUFFER_TOO_SMALL);
    ASSERT_EQ(request.windows, expected.size());
    counts.resize(request.windows);
    request.window_counts = counts.data();
    request.window_capacity = counts.size();
    ASSERT_EQ(headway_tokenize(handle.get(), &request, nullptr), HEADWAY_OK);
    EXPECT_EQ(request.truncated, 1);
    size_t at = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(counts[i], expected[i].ids.size());
      for (size_t j = 0; j < counts[i]; ++j, ++at) {
        EXPECT_EQ(ids[at], expected[i].ids[j]);
        EXPECT_EQ(types[at], pair ? expected[i].type_ids[j] : 0);
        EXPECT_EQ(offsets[at].begin, expected[i].offsets[j].begin);
        EXPECT_EQ(offsets[at].end, expected[i].offsets[j].end);
        EXPECT_EQ(offsets[at].text, expected[i].offsets[j].text);
      }
    }
    EXPECT_EQ(request.count, at);
  }
}

TEST(CTokenizer, TokensAndIds) {
  const auto handle = open_tokenizer();
  int32_t id = 0;
  ASSERT_EQ(headway_token_to_id(handle.get(), {"cat", 3}, &id, nullptr), HEADWAY_OK);
  EXPECT_EQ(id, 4937);
  ASSERT_EQ(headway_token_to_id(handle.get(), {"no such token", 13}, &id, nullptr), HEADWAY_OK);
  EXPECT_EQ(id, -1);
  headway_text token{};
  ASSERT_EQ(headway_id_to_token(handle.get(), 4937, &token, nullptr), HEADWAY_OK);
  EXPECT_EQ(std::string_view(token.data, token.length), "cat");
  ASSERT_EQ(headway_id_to_token(handle.get(), -1, &token, nullptr), HEADWAY_OK);
  EXPECT_EQ(token.data, nullptr);

  std::vector<int32_t> ids(8);
  auto request = sized<headway_tokenize_request>();
  request.text = {"[SEP]", 5};
  request.no_special_tokens = 1;
  request.ids = ids.data();
  request.capacity = ids.size();
  ASSERT_EQ(headway_tokenize(handle.get(), &request, nullptr), HEADWAY_OK);
  EXPECT_EQ(request.count, 1u);
  request.encode_special_tokens = 1;
  ASSERT_EQ(headway_tokenize(handle.get(), &request, nullptr), HEADWAY_OK);
  EXPECT_EQ(request.count, 3u);
  request.size = offsetof(headway_tokenize_request, stride);  // of the first headers
  ASSERT_EQ(headway_tokenize(handle.get(), &request, nullptr), HEADWAY_OK);
  EXPECT_EQ(request.count, 1u);
}

// A tokenizer needs no model beside it, and outlives the embedder that it comes from.
TEST(CTokenizer, StandsAlone) {
  const TempDir dir;
  dir.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ncat\n");
  dir.write("tokenizer_config.json",
            R"({"tokenizer_class": "BertTokenizer", "model_max_length": 9})");
  headway_tokenizer* opened = nullptr;
  auto error = sized<headway_error>();
  ASSERT_EQ(headway_tokenizer_open(dir.path().c_str(), &opened, &error), HEADWAY_OK)
      << error.message;
  const TokenizerHandle small(opened, headway_tokenizer_close);
  auto info = sized<headway_tokenizer_info>();
  ASSERT_EQ(headway_tokenizer_get_info(small.get(), &info, nullptr), HEADWAY_OK);
  EXPECT_EQ(info.vocabulary, 6);
  EXPECT_EQ(info.special_tokens, 2u);
  EXPECT_EQ(info.pair_special_tokens, 3u);
  EXPECT_EQ(info.max_length, 9);

  auto embedder = open_model();
  ASSERT_EQ(headway_embedder_get_tokenizer(embedder.get(), &opened, nullptr), HEADWAY_OK);
  const TokenizerHandle handle(opened, headway_tokenizer_close);
  embedder.reset();
  std::vector<int32_t> ids(4);
  auto request = sized<headway_tokenize_request>();
  request.text = {"a cat", 5};
  request.ids = ids.data();
  request.capacity = ids.size();
  ASSERT_EQ(headway_tokenize(handle.get(), &request, nullptr), HEADWAY_OK);
  EXPECT_EQ(ids, (std::vector<int32_t>{101, 1037, 4937, 102}));
}

}  // namespace
}  // namespace headway::c
