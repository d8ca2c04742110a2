// Sparse vectors through the C interface are those of C++.
#include "headway/sparse_embedder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/bindings/c/kinds.hpp"

namespace headway::c {
namespace {

class CSparseEmbedder : public testing::TestWithParam<const char*> {
 protected:
  headway_sparse_embed_request request() {
    auto request = request_for<headway_sparse_embed_request>(golden, ids.size());
    request.offsets = offsets.data();
    request.ids = ids.data();
    request.weights = weights.data();
    return request;
  }
  void expect(headway_status expected, const std::string& text,
              headway_sparse_embed_request request) {
    EXPECT_EQ(headway_sparse_embed(handle.get(), &request, &error), expected);
    EXPECT_THAT(error.message, testing::HasSubstr(text));
  }
  void expect_vectors_of_cpp(headway_sparse_embed_request request, const EmbedOptions& chosen) {
    ASSERT_EQ(headway_sparse_embed(handle.get(), &request, &error), HEADWAY_OK) << error.message;
    const SparseEmbeddings expected = embedder.embed(golden.views, {}, chosen);
    for (size_t i = 0; i < golden.views.size(); ++i) {
      const size_t begin = offsets[i], end = offsets[i + 1];
      ASSERT_LE(begin, end);
      ASSERT_LE(end, ids.size());
      EXPECT_EQ(std::vector(ids.data() + begin, ids.data() + end), expected.vectors[i].tokens);
      EXPECT_EQ(std::vector(weights.data() + begin, weights.data() + end),
                expected.vectors[i].weights);
    }
    EXPECT_EQ(offsets.front(), 0u);
    EXPECT_EQ(offsets.back(), request.total);
    EXPECT_EQ(request.tokens, expected.stats.tokens);
    EXPECT_EQ(request.truncated, expected.stats.truncated);
  }

  std::string name = std::string("tasks/") + GetParam();
  GoldenTexts golden{name};
  SparseEmbedder embedder = SparseEmbedder::open(golden_path(name));
  Owned<headway_sparse_embedder> handle = open_golden<headway_sparse_embedder>(golden_path(name));
  std::vector<size_t> offsets = std::vector<size_t>(golden.texts.size() + 1, 9999);
  std::vector<int32_t> ids = std::vector<int32_t>(golden.texts.size() * embedder.info().dim, -1);
  std::vector<float> weights = std::vector<float>(ids.size(), -1);
  headway_error error = sized<headway_error>();
};

TEST_P(CSparseEmbedder, VectorsAreThoseOfCpp) {
  headway_sparse_embed_request request = this->request();
  expect_vectors_of_cpp(request, {});
  request.prompt_name = {"query", 5};
  expect_vectors_of_cpp(request, {.prompt_name = "query"});
  request.prompt = {"a cat", 5};
  expect(HEADWAY_INVALID_ARGUMENT, "prompt", request);
  request.prompt_name = {};
  expect_vectors_of_cpp(request, {.prompt = "a cat"});
}

TEST_P(CSparseEmbedder, SaysHowMuchRoomItNeeds) {
  headway_sparse_embed_request request = this->request();
  request.capacity = 0;
  request.ids = nullptr;
  request.weights = nullptr;
  ASSERT_EQ(headway_sparse_embed(handle.get(), &request, &error), HEADWAY_BUFFER_TOO_SMALL);
  const size_t total = request.total;
  EXPECT_GT(total, 0u);
  EXPECT_THAT(error.message,
              testing::HasSubstr("request.capacity: needed " + std::to_string(total)));
  request = this->request();
  request.capacity = total - 1;
  expect(HEADWAY_BUFFER_TOO_SMALL, "request.capacity", request);
  EXPECT_THAT(offsets, testing::Each(9999));
  EXPECT_THAT(ids, testing::Each(-1));
  EXPECT_THAT(weights, testing::Each(-1));
  request.capacity = total;
  expect_vectors_of_cpp(request, {});
}

TEST_P(CSparseEmbedder, WorksWithoutTexts) {
  auto request = sized<headway_sparse_embed_request>();
  request.offsets = offsets.data();
  expect(HEADWAY_OK, "", request);
  EXPECT_EQ(offsets[0], 0u);
}

TEST_P(CSparseEmbedder, RefusesWhatCannotBe) {
  const headway_sparse_embed_request good = request();
  headway_sparse_embed_request request = good;
  expect_bad_texts_refused(good, [&](auto* request, auto* error) {
    return headway_sparse_embed(handle.get(), request, error);
  });
  request.offsets = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.offsets: ", request);
  request = good;
  request.ids = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.ids: ", request);
  request = good;
  request.weights = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.weights: ", request);
  request = good;
  request.prompt_name = {"x", std::numeric_limits<size_t>::max()};
  expect(HEADWAY_INVALID_ARGUMENT, "request.prompt_name.length: ", request);
  request.prompt_name = {"answer", 6};
  expect(HEADWAY_INVALID_ARGUMENT, "prompt_name: expected one of", request);
  request = good;
  request.count = std::numeric_limits<size_t>::max();
  expect(HEADWAY_OUT_OF_MEMORY, "memory", request);
  EXPECT_THAT(offsets, testing::Each(9999));
  EXPECT_EQ(headway_sparse_embed(nullptr, &request, &error), HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, testing::HasSubstr("sparse_embedder: "));
}

INSTANTIATE_TEST_SUITE_P(All, CSparseEmbedder, testing::Values("sparse", "sparse-twice"));

}  // namespace
}  // namespace headway::c
