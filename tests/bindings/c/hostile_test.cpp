// Arguments that cannot be right: each gets a status and a text that names it, and writes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "engine/bindings/c/guard.hpp"
#include "headway/error.hpp"
#include "tests/bindings/c/handles.hpp"

namespace headway::c {
namespace {

using testing::HasSubstr;

class CHostile : public testing::Test {
 protected:
  // Checks a call's status and what it said.
  void expect(headway_status expected, const std::string& text, headway_status status) {
    EXPECT_EQ(status, expected) << headway_status_name(status) << ": " << error.message;
    EXPECT_THAT(error.message, HasSubstr(text));
    std::memset(error.message, 'x', sizeof(error.message));
  }

  headway_error error = sized<headway_error>();
};

TEST_F(CHostile, NullPointers) {
  headway_embedder* embedder = nullptr;
  headway_tokenizer* tokenizer = nullptr;
  headway_multi_head* layer = nullptr;
  const int32_t invalid = HEADWAY_INVALID_ARGUMENT;
  expect(invalid, "embedder: ", headway_embedder_open("x", nullptr, nullptr, &error));
  expect(invalid, "directory: ", headway_embedder_open(nullptr, nullptr, &embedder, &error));
  expect(invalid, "embedder: ", headway_embedder_copy(nullptr, &embedder, &error));
  expect(invalid, "embedder: ", headway_embedder_get_info(nullptr, nullptr, &error));
  expect(invalid, "embedder: ", headway_embedder_get_memory(nullptr, nullptr, &error));
  expect(invalid, "embedder: ", headway_embedder_trim(nullptr, &error));
  expect(invalid, "embedder: ", headway_embed(nullptr, nullptr, &error));
  expect(invalid, "path: ", headway_tokenizer_open(nullptr, &tokenizer, &error));
  expect(invalid, "tokenizer: ", headway_tokenizer_open("x", nullptr, &error));
  expect(invalid, "embedder: ", headway_embedder_get_tokenizer(nullptr, &tokenizer, &error));
  expect(invalid, "tokenizer: ", headway_tokenizer_copy(nullptr, &tokenizer, &error));
  expect(invalid, "tokenizer: ", headway_tokenizer_get_info(nullptr, nullptr, &error));
  expect(invalid, "tokenizer: ", headway_tokenize(nullptr, nullptr, &error));
  expect(invalid, "tokenizer: ", headway_decode(nullptr, nullptr, &error));
  expect(invalid, "tokenizer: ", headway_token_to_id(nullptr, {}, nullptr, &error));
  expect(invalid, "tokenizer: ", headway_id_to_token(nullptr, 0, nullptr, &error));
  const SmallLayer small;
  const auto weights = small.weights();
  expect(invalid,
         "weights: ", headway_multi_head_create(nullptr, nullptr, nullptr, &layer, &error));
  expect(invalid,
         "attention: ", headway_multi_head_create(&weights, nullptr, nullptr, &layer, &error));
  expect(invalid, "layer: ", headway_multi_head_create(nullptr, nullptr, nullptr, nullptr, &error));
  expect(invalid, "layer: ", headway_multi_head_copy(nullptr, &layer, &error));
  expect(invalid, "layer: ", headway_multi_head_get_memory(nullptr, nullptr, &error));
  expect(invalid, "layer: ", headway_multi_head_trim(nullptr, &error));
  expect(invalid, "layer: ", headway_multi_head_run(nullptr, nullptr, &error));
  expect(invalid, "machine: ", headway_get_machine(nullptr, &error));
  expect(invalid, "stop: ", headway_stop_create(nullptr, &error));
  // Without a struct for the text too.
  EXPECT_EQ(headway_embedder_open(nullptr, nullptr, &embedder, nullptr), invalid);
  headway_embedder_close(nullptr);
  headway_tokenizer_close(nullptr);
  headway_multi_head_close(nullptr);
  headway_stop_request(nullptr);
  headway_stop_close(nullptr);
}

TEST_F(CHostile, WrongStructSizes) {
  const SmallLayer layer;
  const auto attention = layer.attention();
  for (const size_t size : {size_t{0}, size_t{8}, sizeof(headway_memory) - 1, size_t{5000},
                            std::numeric_limits<size_t>::max()}) {
    auto memory = sized<headway_memory>();
    memory.size = size;
    memory.peak = 42;
    expect(HEADWAY_INVALID_ARGUMENT,
           "memory.size: ", headway_multi_head_get_memory(layer.handle.get(), &memory, &error));
    EXPECT_EQ(memory.peak, 42u);
    auto weights = layer.weights();
    weights.size = size == sizeof(headway_memory) - 1 ? sizeof(weights) - 1 : size;
    headway_multi_head* handle = nullptr;
    expect(HEADWAY_INVALID_ARGUMENT, "weights.size: ",
           headway_multi_head_create(&weights, &attention, nullptr, &handle, &error));
    EXPECT_EQ(handle, nullptr);
  }
  // Of a headway_error that is too small nothing is touched.
  auto small = sized<headway_error>();
  small.size = 16;
  std::memset(small.message, 'x', sizeof(small.message));
  EXPECT_EQ(headway_multi_head_trim(layer.handle.get(), &small), HEADWAY_INVALID_ARGUMENT);
  EXPECT_EQ(small.message[0], 'x');
}

// A program made with newer headers: fine as long as it does not ask for what is new.
TEST_F(CHostile, NewerStructs) {
  struct NewerOptions {
    headway_options options;
    int64_t added;
  } newer{sized<headway_options>(), 0};
  newer.options.size = sizeof(newer);
  const SmallLayer layer;
  const auto weights = layer.weights();
  const auto attention = layer.attention();
  headway_multi_head* handle = nullptr;
  ASSERT_EQ(headway_multi_head_create(&weights, &attention, &newer.options, &handle, &error),
            HEADWAY_OK);
  headway_multi_head_close(handle);
  newer.added = 1;
  expect(HEADWAY_UNSUPPORTED, "options: ",
         headway_multi_head_create(&weights, &attention, &newer.options, &handle, &error));

  struct NewerMemory {
    headway_memory memory;
    int64_t added;
  } out{sized<headway_memory>(), 42};
  out.memory.size = sizeof(out);
  ASSERT_EQ(headway_multi_head_get_memory(layer.handle.get(), &out.memory, &error), HEADWAY_OK);
  EXPECT_EQ(out.memory.size, sizeof(out));
  EXPECT_EQ(out.added, 0);
}

TEST_F(CHostile, Options) {
  const SmallLayer layer;
  const auto weights = layer.weights();
  const auto attention = layer.attention();
  headway_multi_head* handle = nullptr;
  const auto create = [&](headway_options options) {
    return headway_multi_head_create(&weights, &attention, &options, &handle, &error);
  };
  auto options = sized<headway_options>();
  options.precision = 3;
  expect(HEADWAY_INVALID_ARGUMENT, "options.precision", create(options));
  options = sized<headway_options>();
  options.threads = -1;
  expect(HEADWAY_INVALID_ARGUMENT, "threads", create(options));
  options = sized<headway_options>();
  options.max_length = -1;
  expect(HEADWAY_INVALID_ARGUMENT, "tokens", create(options));
}

TEST_F(CHostile, EmbedRequests) {
  const auto embedder = open_model();
  std::vector<float> vectors(2 * 384, -1);
  std::vector<headway_text> texts{{"a", 1}, {"b", 1}};
  auto good = sized<headway_embed_request>();
  good.texts = texts.data();
  good.count = 2;
  good.vectors = vectors.data();
  good.capacity = vectors.size();
  const auto embed = [&](headway_embed_request request) {
    return headway_embed(embedder.get(), &request, &error);
  };
  auto request = good;
  request.texts = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.texts: ", embed(request));
  request = good;
  request.vectors = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.vectors: ", embed(request));
  request = good;
  request.capacity = 767;
  expect(HEADWAY_BUFFER_TOO_SMALL, "request.capacity: needed 768, found 767", embed(request));
  request = good;
  request.count = std::numeric_limits<size_t>::max() / 2;
  expect(HEADWAY_LIMIT, "request.count", embed(request));
  texts[1] = {nullptr, 1};
  expect(HEADWAY_INVALID_ARGUMENT, "request.texts[1].data: ", embed(good));
  texts[1] = {"b", std::numeric_limits<size_t>::max()};
  expect(HEADWAY_INVALID_ARGUMENT, "request.texts[1].length: ", embed(good));
  texts[1] = {nullptr, 0};
  auto run = sized<headway_run_options>();
  request = good;
  request.run = &run;
  run.no_wait = 2;
  expect(HEADWAY_INVALID_ARGUMENT, "run.no_wait", embed(request));
  run = sized<headway_run_options>();
  run.mode = -1;
  expect(HEADWAY_INVALID_ARGUMENT, "run.mode", embed(request));
  run = sized<headway_run_options>();
  run.threads = -1;
  expect(HEADWAY_INVALID_ARGUMENT, "run.threads", embed(request));
  EXPECT_THAT(vectors, testing::Each(-1));

  expect(HEADWAY_OK, "", embed(good));
  EXPECT_EQ(embed(sized<headway_embed_request>()), HEADWAY_OK);  // no texts
}

TEST_F(CHostile, TokenizeRequests) {
  const auto tokenizer = open_tokenizer();
  std::vector<int32_t> ids(3, -1);
  auto request = sized<headway_tokenize_request>();
  request.text = {"a cat", 5};
  request.ids = ids.data();
  request.capacity = 3;
  expect(HEADWAY_BUFFER_TOO_SMALL, "request.capacity: needed 4, found 3",
         headway_tokenize(tokenizer.get(), &request, &error));
  EXPECT_EQ(request.count, 4u);
  EXPECT_THAT(ids, testing::Each(-1));
  request.capacity = 4;
  request.ids = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT,
         "request.ids: ", headway_tokenize(tokenizer.get(), &request, &error));
  request.no_special_tokens = -1;
  expect(HEADWAY_INVALID_ARGUMENT, "request.no_special_tokens",
         headway_tokenize(tokenizer.get(), &request, &error));
  request.text.data = nullptr;
  request.no_special_tokens = 0;
  expect(HEADWAY_INVALID_ARGUMENT,
         "request.text.data: ", headway_tokenize(tokenizer.get(), &request, &error));
  request.text.data = "a cat";
  const headway_text second = {nullptr, 1};
  request.second = &second;
  expect(HEADWAY_INVALID_ARGUMENT,
         "request.second.data: ", headway_tokenize(tokenizer.get(), &request, &error));
  request.strategy = 3;
  expect(HEADWAY_INVALID_ARGUMENT, "request.strategy: expected HEADWAY_LONGEST_FIRST",
         headway_tokenize(tokenizer.get(), &request, &error));
  request.strategy = 0;
  request.side = -1;
  expect(HEADWAY_INVALID_ARGUMENT, "request.side: expected HEADWAY_MODELS_SIDE",
         headway_tokenize(tokenizer.get(), &request, &error));
}

TEST_F(CHostile, DecodeRequests) {
  const auto tokenizer = open_tokenizer();
  const std::vector<int32_t> ids = {-1, 1037, 30522, std::numeric_limits<int32_t>::max()};
  char text = 'x';
  auto request = sized<headway_decode_request>();
  expect(HEADWAY_OK, "", headway_decode(tokenizer.get(), &request, &error));  // no ids
  request.count = ids.size();
  expect(HEADWAY_INVALID_ARGUMENT,
         "request.ids: ", headway_decode(tokenizer.get(), &request, &error));
  request.ids = ids.data();
  expect(HEADWAY_BUFFER_TOO_SMALL, "request.capacity: needed 1, found 0",
         headway_decode(tokenizer.get(), &request, &error));
  EXPECT_EQ(request.length, 1u);
  request.capacity = 1;
  expect(HEADWAY_INVALID_ARGUMENT,
         "request.text: ", headway_decode(tokenizer.get(), &request, &error));
  request.text = &text;
  expect(HEADWAY_OK, "", headway_decode(tokenizer.get(), &request, &error));
  EXPECT_EQ(text, 'a');
  request.keep_special_tokens = 2;
  expect(HEADWAY_INVALID_ARGUMENT, "request.keep_special_tokens",
         headway_decode(tokenizer.get(), &request, &error));
}

TEST_F(CHostile, LayerWeights) {
  const SmallLayer layer;
  const auto attention = layer.attention();
  headway_multi_head* handle = nullptr;
  const auto create = [&](headway_multi_head_weights weights) {
    return headway_multi_head_create(&weights, &attention, nullptr, &handle, &error);
  };
  auto weights = layer.weights();
  weights.qkv_weight = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "weights.qkv_weight: ", create(weights));
  weights = layer.weights();
  weights.out_weight = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "weights.out_weight: ", create(weights));
  for (const int64_t dim : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    weights = layer.weights();
    weights.dim = dim;
    expect(HEADWAY_INVALID_ARGUMENT, "weights.dim: ", create(weights));
  }
  weights = layer.weights();
  weights.dim = std::numeric_limits<int64_t>::max() - 1;
  expect(HEADWAY_LIMIT, "weights.dim", create(weights));
}

TEST_F(CHostile, LayerOptions) {
  const SmallLayer layer;
  const auto weights = layer.weights();
  const auto expect_refused = [&](const std::string& text, auto&& change) {
    auto attention = layer.attention();
    change(attention);
    headway_multi_head* handle = nullptr;
    expect(HEADWAY_INVALID_ARGUMENT, text,
           headway_multi_head_create(&weights, &attention, nullptr, &handle, &error));
    EXPECT_EQ(handle, nullptr);
  };
  for (const int64_t heads : {int64_t{-1}, int64_t{0}, int64_t{3}, int64_t{1} << 62})
    expect_refused("attention.heads: ", [&](auto& a) { a.heads = heads; });
  for (const int64_t heads : {int64_t{-1}, int64_t{3}, int64_t{1} << 62})
    expect_refused("attention.kv_heads: ", [&](auto& a) { a.kv_heads = heads; });
  expect_refused("scale", [](auto& a) { a.scale = std::numeric_limits<float>::infinity(); });
  expect_refused("softcap", [](auto& a) { a.softcap = -1; });
  expect_refused("attention.causal", [](auto& a) { a.causal = 2; });
  expect_refused("attention.has_left_window", [](auto& a) { a.has_left_window = -1; });
  expect_refused("window", [](auto& a) { a.has_right_window = 1, a.right_window = -1; });
  expect_refused("attention.alibi_slopes: ", [](auto& a) { a.alibi_slope_count = 2; });
  const std::vector<float> numbers(6, 0.5f);
  expect_refused("attention.alibi_slope_count: expected 2, found 3",
                 [&](auto& a) { a.alibi_slopes = numbers.data(), a.alibi_slope_count = 3; });
  expect_refused("relative_bias", [&](auto& a) {
    a.relative_bias = numbers.data(), a.relative_bias_heads = 3, a.relative_bias_distances = 1;
  });
  expect_refused("relative_bias", [&](auto& a) {
    a.relative_bias = numbers.data(), a.relative_bias_heads = 2, a.relative_bias_distances = 2;
  });
  expect_refused("attention.size", [](auto& a) { a.size = 8; });
}

TEST_F(CHostile, LayerRequests) {
  const SmallLayer layer;
  SmallRun room;
  const headway_multi_head_request good = room.request();
  const auto run = [&](headway_multi_head_request request) {
    return headway_multi_head_run(layer.handle.get(), &request, &error);
  };
  auto request = good;
  request.lengths = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.lengths: ", run(request));
  request = good;
  request.x = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.x: ", run(request));
  request = good;
  request.y = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.y: ", run(request));
  request = good;
  request.x_count = 63;
  expect(HEADWAY_INVALID_ARGUMENT, "request.x_count: expected 64", run(request));
  request = good;
  request.capacity = 63;
  expect(HEADWAY_BUFFER_TOO_SMALL, "request.capacity: needed 64", run(request));
  request = good;
  request.weights_capacity = 67;
  expect(HEADWAY_BUFFER_TOO_SMALL, "request.weights_capacity: needed 68", run(request));
  room.lengths[1] = -1;
  expect(HEADWAY_INVALID_ARGUMENT, "length", run(good));
  room.lengths[1] = std::numeric_limits<int64_t>::max();
  expect(HEADWAY_LIMIT, "", run(good));
  EXPECT_THAT(room.y, testing::Each(-1));
  EXPECT_THAT(room.attention, testing::Each(-1));
}

// A message longer than the struct ends between two characters, here of two bytes each.
TEST_F(CHostile, LongMessages) {
  for (const size_t shift : {0, 1}) {
    std::string text(shift, 'a');
    while (text.size() < 3000) text += "\xC3\xA4";
    EXPECT_EQ(guard(&error, [&] { throw Error(ErrorCode::busy, text); }), HEADWAY_BUSY);
    const size_t length = std::strlen(error.message);
    EXPECT_EQ(length, 1014 + shift);
    EXPECT_EQ(std::string_view(error.message), std::string_view(text).substr(0, length));
  }
}

TEST_F(CHostile, WhateverIsThrownBecomesAStatus) {
  expect(HEADWAY_OUT_OF_MEMORY, "memory", guard(&error, [] { throw std::bad_alloc(); }));
  expect(HEADWAY_OUT_OF_MEMORY, "memory", guard(&error, [] { throw std::length_error("x"); }));
  expect(HEADWAY_INTERNAL, "odd", guard(&error, [] { throw std::runtime_error("odd"); }));
  EXPECT_EQ(guard(nullptr, [] { throw 1; }), HEADWAY_INTERNAL);
  expect(HEADWAY_OK, "", guard(&error, [] {}));
  EXPECT_STREQ(headway_status_name(HEADWAY_BUFFER_TOO_SMALL), "buffer_too_small");
  EXPECT_STREQ(headway_status_name(-1), "unknown");
  EXPECT_STREQ(headway_status_name(12), "unknown");
}

}  // namespace
}  // namespace headway::c
