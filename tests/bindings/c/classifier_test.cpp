// Classifying through the C interface gives what C++ gives.
#include "headway/classifier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/bindings/c/kinds.hpp"

namespace headway::c {
namespace {

class CClassifier : public testing::TestWithParam<const char*> {
 protected:
  headway_classify_request request() {
    auto request = request_for<headway_classify_request>(golden, scores.size());
    request.scores = scores.data();
    return request;
  }
  void expect(headway_status expected, const std::string& text, headway_classify_request request) {
    EXPECT_EQ(headway_classify(handle.get(), &request, &error), expected);
    EXPECT_THAT(error.message, testing::HasSubstr(text));
  }

  std::string name = std::string("tasks/") + GetParam();
  GoldenTexts golden{name};
  Owned<headway_classifier> handle = open_golden<headway_classifier>(golden_path(name));
  size_t labels = golden.expected.root().at("labels").size();
  std::vector<float> scores = std::vector<float>(golden.texts.size() * labels, -1);
  headway_error error = sized<headway_error>();
};

TEST_P(CClassifier, ScoresAreThoseOfCpp) {
  headway_classify_request request = this->request();
  ASSERT_EQ(headway_classify(handle.get(), &request, &error), HEADWAY_OK) << error.message;
  const Classes expected = Classifier::open(golden_path(name)).classify(golden.views);
  EXPECT_EQ(scores, expected.scores);
  EXPECT_EQ(request.tokens, expected.stats.tokens);
  EXPECT_EQ(request.truncated, expected.stats.truncated);
  expect(HEADWAY_OK, "", sized<headway_classify_request>());  // no texts
}

TEST_P(CClassifier, RefusesWhatCannotBe) {
  const headway_classify_request good = request();
  headway_classify_request request = good;
  expect_bad_texts_refused(good, [&](auto* request, auto* error) {
    return headway_classify(handle.get(), request, error);
  });
  request.scores = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.scores: ", request);
  request = good;
  --request.capacity;
  expect(HEADWAY_BUFFER_TOO_SMALL, "request.capacity: needed " + std::to_string(scores.size()),
         request);
  request = good;
  request.count = std::numeric_limits<size_t>::max();
  expect(labels == 1 ? HEADWAY_BUFFER_TOO_SMALL : HEADWAY_LIMIT, "request.c", request);
  EXPECT_THAT(scores, testing::Each(-1));
  EXPECT_EQ(headway_classify(nullptr, &request, &error), HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, testing::HasSubstr("classifier: "));
}

INSTANTIATE_TEST_SUITE_P(All, CClassifier,
                         testing::Values("classifier", "classifier-multi",
                                         "classifier-regression"));

}  // namespace
}  // namespace headway::c
