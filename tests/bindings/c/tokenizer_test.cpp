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
