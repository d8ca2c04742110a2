// Classifiers of texts, against the pipeline of transformers (scripts/make_golden_tasks.py).
#include "headway/classifier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

class GoldenClassifier : public testing::TestWithParam<const char*> {
 protected:
  std::string name = std::string("tasks/") + GetParam();
  Json expected = Json::parse(read_golden(name + "/expected.json"), name);
  std::vector<std::string_view> texts = strings(expected.root().at("texts"));
  Classifier classifier = Classifier::open(golden_path(name));
};

TEST_P(GoldenClassifier, ScoresAreThoseOfTheReference) {
  EXPECT_THAT(classifier.info().labels,
              testing::ElementsAreArray(strings(expected.root().at("labels"))));
  const Classes classes = classifier.classify(texts);
  ASSERT_EQ(classes.texts, static_cast<int64_t>(texts.size()));
  for (size_t i = 0; i < texts.size(); ++i) {
    const JsonNode row = expected.root().at("scores")[i];
    ASSERT_EQ(row.size(), static_cast<size_t>(classes.labels));
    for (size_t label = 0; label < row.size(); ++label)
      EXPECT_NEAR(classes.row(static_cast<int64_t>(i))[label], row[label].as_double(), 1e-5) << i;
  }
}

TEST_P(GoldenClassifier, ScoresDependOnNothingElse) {
  const Classes all = classifier.classify(texts);
  RunOptions one_thread;
  one_thread.threads = 1;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto row = all.row(static_cast<int64_t>(i));
    EXPECT_EQ(classifier.classify(std::span(texts).subspan(i, 1), one_thread).scores,
              std::vector<float>(row.begin(), row.end()));
  }
  EXPECT_TRUE(classifier.classify({}).scores.empty());
}

INSTANTIATE_TEST_SUITE_P(All, GoldenClassifier,
                         testing::Values("classifier", "classifier-multi",
                                         "classifier-regression"));

TEST(Classifier, TakesItsActivationFromTheFile) {
  const auto activation = [](const char* name) {
    return Classifier::open(golden_path(std::string("tasks/") + name)).info().activation;
  };
  EXPECT_EQ(activation("classifier"), "softmax");
  EXPECT_EQ(activation("classifier-multi"), "sigmoid");
  EXPECT_EQ(activation("classifier-regression"), "identity");
  EXPECT_EQ(activation("reranker"), "sigmoid");
}

TEST(Classifier, RefusesWhatItDoesNotKnow) {
  const TempDir dir;
  dir.copy(golden_path("tasks/classifier-multi"));
  dir.replace("config.json", "multi_label_classification", "ranking");
  expect_error(ErrorCode::unsupported, "config.json: field \"problem_type\": \"ranking\"",
               [&] { Classifier::open(dir.path()); });
  expect_error(ErrorCode::unsupported, "sentence_bert_config.json: field \"transformer_task\"",
               [] { Classifier::open(golden_path("pipelines/modes")); });
}

}  // namespace
}  // namespace headway
