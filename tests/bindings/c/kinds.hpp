// The kinds of models on texts, for tests that run on each: their functions under names without the
// kind, the class in C++, and a small model.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "headway/headway.hpp"
#include "tests/bindings/c/handles.hpp"
#include "tests/support/golden.hpp"

namespace headway::c {

template <typename Handle>
struct Kind;

#define HEADWAY_KIND(kind, Class, golden)                             \
  template <>                                                         \
  struct Kind<headway_##kind> {                                       \
    using Handle = headway_##kind;                                    \
    using Model = headway::Class;                                     \
    static std::string directory() { return golden_path(golden); }    \
    static constexpr const char* kName = #kind;                       \
    static constexpr auto open = headway_##kind##_open;               \
    static constexpr auto copy = headway_##kind##_copy;               \
    static constexpr auto close = headway_##kind##_close;             \
    static constexpr auto info = headway_##kind##_get_info;           \
    static constexpr auto memory = headway_##kind##_get_memory;       \
    static constexpr auto trim = headway_##kind##_trim;               \
    static constexpr auto tokenizer = headway_##kind##_get_tokenizer; \
  };

HEADWAY_KIND(embedder, Embedder, "pipelines/dense")
HEADWAY_KIND(reranker, Reranker, "tasks/reranker")
HEADWAY_KIND(classifier, Classifier, "tasks/classifier")
HEADWAY_KIND(sparse_embedder, SparseEmbedder, "tasks/sparse")
HEADWAY_KIND(token_classifier, TokenClassifier, "tokens/bert")
HEADWAY_KIND(masked_lm, MaskedLM, "tokens/bert")
HEADWAY_KIND(multi_vector_embedder, MultiVectorEmbedder, "multi_vector/bert")

template <typename Handle>
using Owned = std::unique_ptr<Handle, void (*)(Handle*)>;

template <typename Handle>
Owned<Handle> open_golden(const std::string& directory = Kind<Handle>::directory()) {
  auto error = sized<headway_error>();
  Handle* handle = nullptr;
  EXPECT_EQ(Kind<Handle>::open(directory.c_str(), nullptr, &handle, &error), HEADWAY_OK)
      << error.message;
  return {handle, Kind<Handle>::close};
}

// Texts of expected.json, as C and as C++ take them.
struct GoldenTexts {
  explicit GoldenTexts(const std::string& name, const char* field = "texts")
      : expected(Json::parse(read_golden(name + "/expected.json"), name)) {
    for (const JsonNode text : expected.root().at(field).elements()) {
      views.push_back(text.as_string());
      texts.push_back({views.back().data(), views.back().size()});
    }
  }

  Json expected;
  std::vector<std::string_view> views;
  std::vector<headway_text> texts;
};

// A request for them, with room for `capacity` results.
template <typename Request>
Request request_for(const GoldenTexts& golden, size_t capacity) {
  auto request = sized<Request>();
  request.texts = golden.texts.data();
  request.count = golden.texts.size();
  request.capacity = capacity;
  return request;
}

// Checks what all tasks do about their texts: `call(request, error)` refuses those that cannot be.
template <typename Request, typename Call>
void expect_bad_texts_refused(const Request& good, const Call& call) {
  auto error = sized<headway_error>();
  Request request = good;
  request.texts = nullptr;
  EXPECT_EQ(call(&request, &error), HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, testing::HasSubstr("request.texts: expected a pointer"));
  std::vector<headway_text> texts(good.texts, good.texts + good.count);
  request.texts = texts.data();
  texts[1] = {nullptr, 1};
  EXPECT_EQ(call(&request, &error), HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, testing::HasSubstr("request.texts[1].data: "));
  texts[1] = {"a", std::numeric_limits<size_t>::max()};
  EXPECT_EQ(call(&request, &error), HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, testing::HasSubstr("request.texts[1].length: "));
  EXPECT_EQ(call(static_cast<Request*>(nullptr), &error), HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, testing::HasSubstr("request: expected a pointer"));
}

}  // namespace headway::c
