// Late interaction through the C interface gives what C++ gives.
#include "headway/multi_vector_embedder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/bindings/c/kinds.hpp"

namespace headway::c {
namespace {

class CMultiVector : public testing::TestWithParam<const char*> {
 protected:
  headway_multi_vector_embed_request request(const GoldenTexts& texts, bool are_queries) {
    auto request = request_for<headway_multi_vector_embed_request>(texts, vectors.size());
    request.queries = are_queries;
    request.offsets = offsets.data();
    request.vectors = vectors.data();
    return request;
  }
  void expect(headway_status expected, const std::string& text,
              headway_multi_vector_embed_request request) {
    EXPECT_EQ(headway_multi_vector_embed(handle.get(), &request, &error), expected);
    EXPECT_THAT(error.message, testing::HasSubstr(text));
  }
  void expect_vectors(headway_multi_vector_embed_request request, const MultiVectors& expected) {
    ASSERT_EQ(headway_multi_vector_embed(handle.get(), &request, &error), HEADWAY_OK)
        << error.message;
    ASSERT_EQ(request.total, expected.values.size());
    EXPECT_EQ(std::vector(vectors.data(), vectors.data() + request.total), expected.values);
    EXPECT_EQ(std::vector<int64_t>(offsets.data(), offsets.data() + request.count + 1),
              expected.offsets);
    EXPECT_EQ(request.tokens, expected.stats.tokens);
    EXPECT_EQ(request.truncated, expected.stats.truncated);
  }

  std::string name = std::string("multi_vector/") + GetParam();
  GoldenTexts queries{name, "queries"}, documents{name, "documents"};
  MultiVectorEmbedder embedder = MultiVectorEmbedder::open(golden_path(name));
  Owned<headway_multi_vector_embedder> handle =
      open_golden<headway_multi_vector_embedder>(golden_path(name));
  std::vector<size_t> offsets = std::vector<size_t>(documents.texts.size() + 1, 9999);
  std::vector<float> vectors = std::vector<float>(5000, -7);
  headway_error error = sized<headway_error>();
};

TEST_P(CMultiVector, VectorsAreThoseOfCpp) {
  expect_vectors(request(queries, true), embedder.embed_queries(queries.views));
  headway_multi_vector_embed_request request = this->request(documents, false);
  expect_vectors(request, embedder.embed_documents(documents.views));
  request.prompt = {"a cat", 5};
  expect_vectors(request, embedder.embed_documents(documents.views, {}, {.prompt = "a cat"}));
  request.prompt = {};
  request.prompt_name = {"query", 5};
  expect_vectors(request, embedder.embed_documents(documents.views, {}, {.prompt_name = "query"}));
}

TEST_P(CMultiVector, SimilaritiesAreThoseOfCpp) {
  const MultiVectors asked = embedder.embed_queries(queries.views);
  const MultiVectors answers = embedder.embed_documents(documents.views);
  for (int64_t i = 0; i < asked.texts(); ++i) {
    for (int64_t j = 0; j < answers.texts(); ++j) {
      auto request = sized<headway_multi_vector_similarity_request>();
      request.query = asked.rows(i).data();
      request.query_tokens = static_cast<size_t>(asked.tokens(i));
      request.document = answers.rows(j).data();
      request.document_tokens = static_cast<size_t>(answers.tokens(j));
      ASSERT_EQ(headway_multi_vector_similarity(handle.get(), &request, &error), HEADWAY_OK)
          << error.message;
      EXPECT_EQ(request.similarity, embedder.similarity(asked.rows(i), answers.rows(j)));
    }
  }
}

TEST_P(CMultiVector, RanksAsCpp) {
  std::vector<float> scores(documents.texts.size()), expected(documents.texts.size());
  std::vector<size_t> ranking(documents.texts.size());
  auto request = sized<headway_rerank_request>();
  request.query = queries.texts[2];
  request.documents = documents.texts.data();
  request.count = request.capacity = documents.texts.size();
  request.scores = scores.data();
  request.ranking = ranking.data();
  ASSERT_EQ(headway_multi_vector_rerank(handle.get(), &request, &error), HEADWAY_OK)
      << error.message;
  const EmbedStats stats = embedder.score(queries.views[2], documents.views, expected.data());
  EXPECT_EQ(scores, expected);
  EXPECT_EQ(request.tokens, stats.tokens);
  EXPECT_EQ(request.truncated, stats.truncated);
  const std::vector<RankedDocument> ranked = embedder.rank(queries.views[2], documents.views);
  for (size_t i = 0; i < ranked.size(); ++i) EXPECT_EQ(ranking[i], ranked[i].index);
  --request.capacity;
  EXPECT_EQ(headway_multi_vector_rerank(handle.get(), &request, &error), HEADWAY_BUFFER_TOO_SMALL);
}

TEST_P(CMultiVector, SaysHowMuchRoomItNeeds) {
  headway_multi_vector_embed_request request = this->request(documents, false);
  request.capacity = 0;
  request.vectors = nullptr;
  ASSERT_EQ(headway_multi_vector_embed(handle.get(), &request, &error), HEADWAY_BUFFER_TOO_SMALL);
  const size_t total = request.total;
  ASSERT_GT(total, 0u);
  EXPECT_THAT(error.message,
              testing::HasSubstr("request.capacity: needed " + std::to_string(total)));
  EXPECT_THAT(offsets, testing::Each(9999));
  request = this->request(documents, false);
  request.capacity = total - 1;
  expect(HEADWAY_BUFFER_TOO_SMALL, "request.capacity", request);
  EXPECT_THAT(vectors, testing::Each(-7));
  request.capacity = total;
  expect_vectors(request, embedder.embed_documents(documents.views));
}

TEST_P(CMultiVector, RefusesWhatCannotBe) {
  const headway_multi_vector_embed_request good = request(documents, false);
  headway_multi_vector_embed_request request = good;
  expect_bad_texts_refused(good, [&](auto* request, auto* error) {
    return headway_multi_vector_embed(handle.get(), request, error);
  });
  request.offsets = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.offsets: ", request);
  request = good;
  request.vectors = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.vectors: ", request);
  request = good;
  request.queries = 2;
  expect(HEADWAY_INVALID_ARGUMENT, "request.queries: expected 0 or 1, found 2", request);
  request = good;
  request.prompt_name = {"answer", 6};
  expect(HEADWAY_INVALID_ARGUMENT, "prompt_name: expected one of", request);
  EXPECT_THAT(offsets, testing::Each(9999));
  auto none = sized<headway_multi_vector_embed_request>();
  none.offsets = offsets.data();
  expect(HEADWAY_OK, "", none);
  EXPECT_EQ(offsets[0], 0u);
  EXPECT_EQ(headway_multi_vector_embed(nullptr, &request, &error), HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, testing::HasSubstr("multi_vector_embedder: "));
  EXPECT_EQ(headway_multi_vector_rerank(nullptr, nullptr, &error), HEADWAY_INVALID_ARGUMENT);
}

TEST_P(CMultiVector, RefusesVectorsThatCannotBe) {
  auto request = sized<headway_multi_vector_similarity_request>();
  const auto expect = [&](headway_status expected, const std::string& text) {
    EXPECT_EQ(headway_multi_vector_similarity(handle.get(), &request, &error), expected);
    EXPECT_THAT(error.message, testing::HasSubstr(text));
  };
  request.query_tokens = 1;
  expect(HEADWAY_INVALID_ARGUMENT, "request.query: expected a pointer");
  request.query = vectors.data();
  request.document_tokens = 1;
  expect(HEADWAY_INVALID_ARGUMENT, "request.document: expected a pointer");
  request.document = vectors.data();
  request.document_tokens = std::numeric_limits<size_t>::max() / 2;
  expect(HEADWAY_LIMIT, "request.document");
  EXPECT_EQ(headway_multi_vector_similarity(handle.get(), nullptr, &error),
            HEADWAY_INVALID_ARGUMENT);
}

INSTANTIATE_TEST_SUITE_P(All, CMultiVector, testing::Values("bert", "modernbert-expanded"));

}  // namespace
}  // namespace headway::c
