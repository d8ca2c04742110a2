// Entities through the C interface are those of C++.
#include "headway/token_classifier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/bindings/c/kinds.hpp"

namespace headway::c {
namespace {

class CTokenClassifier : public testing::TestWithParam<const char*> {
 protected:
  headway_tag_request request() {
    auto request = request_for<headway_tag_request>(golden, entities.size());
    request.offsets = offsets.data();
    request.entities = entities.data();
    return request;
  }
  void expect(headway_status expected, const std::string& text, headway_tag_request request) {
    EXPECT_EQ(headway_tag(handle.get(), &request, &error), expected);
    EXPECT_THAT(error.message, testing::HasSubstr(text));
  }
  void expect_entities_of_cpp(headway_tag_request request, const EntityOptions& chosen) {
    ASSERT_EQ(headway_tag(handle.get(), &request, &error), HEADWAY_OK) << error.message;
    const Entities expected = classifier.classify(golden.views, {}, chosen);
    size_t next = 0;
    for (size_t i = 0; i < golden.views.size(); ++i) {
      EXPECT_EQ(offsets[i], next);
      for (const Entity& entity : expected.texts[i]) {
        ASSERT_LT(next, request.total);
        EXPECT_EQ(entities[next].label, entity.label);
        EXPECT_EQ(entities[next].score, entity.score);
        EXPECT_EQ(entities[next].begin, entity.begin);
        EXPECT_EQ(entities[next++].end, entity.end);
      }
    }
    EXPECT_EQ(offsets.back(), next);
    EXPECT_EQ(request.total, next);
    EXPECT_EQ(request.tokens, expected.stats.tokens);
    EXPECT_EQ(request.truncated, expected.stats.truncated);
  }

  std::string name = std::string("tokens/") + GetParam();
  GoldenTexts golden{name};
  TokenClassifier classifier = TokenClassifier::open(golden_path(name));
  Owned<headway_token_classifier> handle = open_golden<headway_token_classifier>(golden_path(name));
  std::vector<size_t> offsets = std::vector<size_t>(golden.texts.size() + 1, 9999);
  std::vector<headway_entity> entities = std::vector<headway_entity>(1000);
  headway_error error = sized<headway_error>();
};

TEST_P(CTokenClassifier, EntitiesAreThoseOfCpp) {
  headway_tag_request request = this->request();
  for (const auto& [aggregation, cpp] : {std::pair(HEADWAY_AGGREGATE_NONE, Aggregation::none),
                                         std::pair(HEADWAY_AGGREGATE_SIMPLE, Aggregation::simple),
                                         std::pair(HEADWAY_AGGREGATE_FIRST, Aggregation::first),
                                         std::pair(HEADWAY_AGGREGATE_AVERAGE, Aggregation::average),
                                         std::pair(HEADWAY_AGGREGATE_MAX, Aggregation::max)}) {
    request.aggregation = aggregation;
    expect_entities_of_cpp(request, {.aggregation = cpp});
  }
}

TEST_P(CTokenClassifier, ReadsTheLabelsToIgnore) {
  const std::string& label = classifier.info().labels[1];
  const headway_text ignored = {label.data(), label.size()};
  headway_tag_request request = this->request();
  request.ignored_labels = &ignored;
  expect_entities_of_cpp(request, {.ignored_labels = {}});
  request.ignored_label_count = 1;
  expect_entities_of_cpp(request, {.ignored_labels = {label}});
}

TEST_P(CTokenClassifier, SaysHowMuchRoomItNeeds) {
  headway_tag_request request = this->request();
  request.capacity = 0;
  request.entities = nullptr;
  ASSERT_EQ(headway_tag(handle.get(), &request, &error), HEADWAY_BUFFER_TOO_SMALL);
  const size_t total = request.total;
  ASSERT_GT(total, 0u);
  EXPECT_THAT(error.message,
              testing::HasSubstr("request.capacity: needed " + std::to_string(total)));
  EXPECT_THAT(offsets, testing::Each(9999));
  request = this->request();
  request.capacity = total;
  expect_entities_of_cpp(request, {});
}

// A label of an entity stays while a copy of the handle is open.
TEST_P(CTokenClassifier, LabelsOutliveTheCall) {
  headway_token_classifier* copy = nullptr;
  ASSERT_EQ(headway_token_classifier_copy(handle.get(), &copy, nullptr), HEADWAY_OK);
  const Owned<headway_token_classifier> owned(copy, headway_token_classifier_close);
  headway_tag_request request = this->request();
  request.aggregation = HEADWAY_AGGREGATE_SIMPLE;
  expect(HEADWAY_OK, "", request);
  const std::string label = entities[0].label;
  handle.reset();
  EXPECT_EQ(entities[0].label, label);
}

TEST_P(CTokenClassifier, RefusesWhatCannotBe) {
  const headway_tag_request good = request();
  headway_tag_request request = good;
  expect_bad_texts_refused(
      good, [&](auto* request, auto* error) { return headway_tag(handle.get(), request, error); });
  request.offsets = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.offsets: ", request);
  request = good;
  request.entities = nullptr;
  expect(HEADWAY_INVALID_ARGUMENT, "request.entities: ", request);
  request = good;
  request.ignored_label_count = 1;
  expect(HEADWAY_INVALID_ARGUMENT, "request.ignored_labels: ", request);
  request = good;
  for (const int32_t aggregation : {-1, 5, std::numeric_limits<int32_t>::max()}) {
    request.aggregation = aggregation;
    expect(HEADWAY_INVALID_ARGUMENT, "request.aggregation: expected", request);
  }
  EXPECT_THAT(offsets, testing::Each(9999));
  auto none = sized<headway_tag_request>();
  none.offsets = offsets.data();
  expect(HEADWAY_OK, "", none);
  EXPECT_EQ(offsets[0], 0u);
  EXPECT_EQ(headway_tag(nullptr, &request, &error), HEADWAY_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, testing::HasSubstr("token_classifier: "));
}

INSTANTIATE_TEST_SUITE_P(All, CTokenClassifier, testing::Values("bert", "roberta"));

}  // namespace
}  // namespace headway::c
