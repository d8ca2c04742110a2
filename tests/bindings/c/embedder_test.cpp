// Embedding through the C interface gives what C++ gives, from many threads too.
#include "headway/embedder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/bindings/c/c11.h"
#include "tests/bindings/c/kinds.hpp"

namespace headway::c {
namespace {

const std::vector<std::string_view> kTexts{"A cat sleeps on the sofa.", "",
                                           std::string_view("no \0 end", 8), "not \xFF UTF-8",
                                           "How do I reset my password?"};

std::vector<float> embed(const headway_embedder* embedder, headway_error* error = nullptr) {
  std::vector<headway_text> texts;
  for (const std::string_view text : kTexts) texts.push_back({text.data(), text.size()});
  std::vector<float> vectors(texts.size() * 384);
  auto request = sized<headway_embed_request>();
  request.texts = texts.data();
  request.count = texts.size();
  request.vectors = vectors.data();
  request.capacity = vectors.size();
  EXPECT_EQ(headway_embed(embedder, &request, error), HEADWAY_OK);
  EXPECT_EQ(request.truncated, 0);
  return vectors;
}

TEST(CEmbedder, VectorsAreThoseOfCpp) {
  const std::vector<float> expected = Embedder::open(kModel).embed(kTexts).values;
  EXPECT_EQ(embed(open_model().get()), expected);
}

TEST(CEmbedder, PromptsAndDimensionsAreThoseOfCpp) {
  const std::string directory = HEADWAY_SOURCE_DIR "/tests/golden/pipelines/dense";
  const Embedder expected = Embedder::open(directory);
  headway_embedder* embedder = nullptr;
  ASSERT_EQ(headway_embedder_open(directory.c_str(), nullptr, &embedder, nullptr), HEADWAY_OK);
  const std::vector<std::string_view> texts = {"the cat"};
  const headway_text text{texts[0].data(), texts[0].size()};
  std::vector<float> vector(12);
  auto request = sized<headway_embed_request>();
  request.texts = &text;
  request.count = 1;
  request.vectors = vector.data();
  request.capacity = 12;
  const auto expect = [&](const EmbedOptions& chosen) {
    ASSERT_EQ(headway_embed(embedder, &request, nullptr), HEADWAY_OK);
    const std::vector<float> values = expected.embed(std::span(texts), {}, chosen).values;
    EXPECT_EQ(std::vector<float>(vector.data(), vector.data() + values.size()), values);
  };
  expect({});
  request.prompt_name = {"document", 8};
  expect({.prompt_name = "document"});
  request.prompt_name = {};
  request.prompt = {"", 0};
  expect({.prompt = ""});
  request.dimensions = request.capacity = 5;
  expect({.prompt = "", .dimensions = 5});
  request.dimensions = 6;
  EXPECT_EQ(headway_embed(embedder, &request, nullptr), HEADWAY_BUFFER_TOO_SMALL);
  request.dimensions = 5;
  request.prompt_name = {"query", 5};
  EXPECT_EQ(headway_embed(embedder, &request, nullptr), HEADWAY_INVALID_ARGUMENT);
  // Headers of before there were prompts: what stands behind their struct is not read.
  request.size = offsetof(headway_embed_request, prompt);
  request.capacity = 12;
  expect({});
  headway_embedder_close(embedder);
}

TEST(CEmbedder, ReadsItsOptions) {
  auto options = sized<headway_options>();
  options.threads = 1;
  options.max_length = 16;
  headway_embedder* handle = nullptr;
  ASSERT_EQ(headway_embedder_open(kModel.c_str(), &options, &handle, nullptr), HEADWAY_OK);
  const EmbedderHandle embedder(handle, headway_embedder_close);
  auto info = sized<headway_model_info>();
  ASSERT_EQ(headway_embedder_get_info(handle, &info, nullptr), HEADWAY_OK);
  EXPECT_EQ(info.max_length, 16);
  EXPECT_STREQ(info.max_length_from, "options");
  EXPECT_EQ(info.vocabulary, 30522);
  EXPECT_EQ(info.size, sizeof(info));
}

TEST(CEmbedder, SixteenThreadsGetTheSameBits) {
  const auto embedder = open_model();
  const std::vector<float> expected = embed(embedder.get());
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&] {
      headway_embedder* copy = nullptr;
      ASSERT_EQ(headway_embedder_copy(embedder.get(), &copy, nullptr), HEADWAY_OK);
      const EmbedderHandle own(copy, headway_embedder_close);
      EXPECT_EQ(embed(embedder.get()), expected);
      EXPECT_EQ(embed(copy), expected);
    });
  for (std::thread& thread : threads) thread.join();
}

// Each call fails in its own way, and none gets another's text.
TEST(CEmbedder, ErrorTextsBelongToTheirCalls) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([i] {
      const std::string directory = "missing-" + std::to_string(i);
      for (int repeat = 0; repeat < 50; ++repeat) {
        auto error = sized<headway_error>();
        headway_embedder* handle = nullptr;
        EXPECT_EQ(headway_embedder_open(directory.c_str(), nullptr, &handle, &error),
                  HEADWAY_NOT_FOUND);
        EXPECT_THAT(error.message, testing::HasSubstr(directory));
        EXPECT_EQ(handle, nullptr);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(CInterface, IsC11) {
  EXPECT_EQ(use_headway_from_c(kModel.c_str()), 0);
  EXPECT_EQ(use_tasks_from_c(golden_path("").c_str()), 0);
}

}  // namespace
}  // namespace headway::c
