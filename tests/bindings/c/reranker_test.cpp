// Reranking through the C interface gives what C++ gives.
#include "headway/reranker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/bindings/c/kinds.hpp"

namespace headway::c {
namespace {

// Two queries, the second longer than the limit, with documents of all lengths.
class CReranker : public testing::TestWithParam<const char*> {
 protected:
  headway_rerank_request request(size_t query = 0) {
    auto request = sized<headway_rerank_request>();
    request.query = queries.texts[query];
    request.documents = documents.texts.data();
    request.count = documents.texts.size();
    request.scores = scores.data();
    request.ranking = ranking.data();
    request.capacity = scores.size();
    return request;
  }
  void expect(headway_status expected, const std::string& text, headway_rerank_request request) {
    EXPECT_EQ(headway_rerank(handle.get(), &request, &error), expected);
    EXPECT_THAT(error.message, testing::HasSubstr(text));
  }

  std::string name = std::string("tasks/") + GetParam();
  GoldenTexts queries{name, "queries"}, documents{name, "documents"};
  Owned<headway_reranker> handle = open_golden<headway_reranker>(golden_path(name));
  std::vector<float> scores = std::vector<float>(documents.texts.size(), -1);
  std::vector<size_t> ranking = std::vector<size_t>(documents.texts.size(), 99);
  headway_error error = sized<headway_error>();
};

TEST_P(CReranker, ScoresAreThoseOfCpp) {
  const Reranker reranker = Reranker::open(golden_path(name));
  for (size_t query = 0; query < 2; ++query) {
    headway_rerank_request request = this->request(query);
    ASSERT_EQ(headway_rerank(handle.get(), &request, &error), HEADWAY_OK) << error.message;
    std::vector<float> expected(scores.size());
    const EmbedStats stats = reranker.score(queries.views[query], documents.views, expected.data());
    EXPECT_EQ(scores, expected);
    const std::vector<RankedDocument> ranked = reranker.rank(queries.views[query], documents.views);
    for (size_t i = 0; i < ranked.size(); ++i) EXPECT_EQ(ranking[i], ranked[i].index);
    EXPECT_EQ(request.tokens, stats.tokens);
    EXPECT_EQ(request.truncated, stats.truncated);
  }
}

TEST_P(CReranker, WorksWithoutRankingAndWithoutDocuments) {
  headway_rerank_request request = this->request();
  request.ranking = nullptr;
  expect(HEADWAY_OK, "", request);
  EXPECT_THAT(scores, testing::Not(testing::Contains(-1)));
  EXPECT_THAT(ranking, testing::Each(99));
  expect(HEADWAY_OK, "", sized<headway_rerank_request>());
}

TEST_P(CReranker, RefusesWhatCannotBe) {
  const headway_rerank_request good = request();
  headway_rerank_request request = good;
  request.documents = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.documents: ", request);
  request = good;
  request.scores = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.scores: ", request);
  request = good;
  request.query = {nullptr, 1};
  expect(HEADWAY_INVALID_ARGUMENT, "request.query.data: ", request);
  request = good;
  --request.capacity;
  expect(HEADWAY_BUFFER_TOO_SMALL, "request.capacity: needed 7, found 6", request);
  request = good;
  request.count = std::numeric_limits<size_t>::max();
  expect(HEADWAY_BUFFER_TOO_SMALL, "request.capacity: needed", request);
  documents.texts[3] = {"a", std::numeric_limits<size_t>::max()};
  expect(HEADWAY_INVALID_ARGUMENT, "request.documents[3].length: ", good);
  auto run = sized<headway_run_options>();
  run.mode = 7;
  documents.texts[3] = {};
  request = good;
  request.run = &run;
  expect(HEADWAY_INVALID_ARGUMENT, "run.mode", request);
  request.size = 8;
  expect(HEADWAY_INVALID_ARGUMENT, "request.size", request);
  EXPECT_THAT(scores, testing::Each(-1));
  EXPECT_THAT(ranking, testing::Each(99));
  EXPECT_EQ(headway_rerank(handle.get(), nullptr, &error), HEADWAY_INVALID_ARGUMENT);
  EXPECT_EQ(headway_rerank(nullptr, &request, &error), HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, testing::HasSubstr("reranker: "));
}

INSTANTIATE_TEST_SUITE_P(All, CReranker, testing::Values("reranker", "reranker-identity"));

}  // namespace
}  // namespace headway::c
