// Rerankers, against CrossEncoder of sentence-transformers (scripts/make_golden_tasks.py).
#include "headway/reranker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "tests/support/expect_error.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

class GoldenReranker : public testing::TestWithParam<const char*> {
 protected:
  std::string name = std::string("tasks/") + GetParam();
  Json expected = Json::parse(read_golden(name + "/expected.json"), name);
  std::vector<std::string_view> documents = strings(expected.root().at("documents"));
  std::vector<std::string_view> queries = strings(expected.root().at("queries"));
};

TEST_P(GoldenReranker, ScoresAreThoseOfTheReference) {
  const Reranker reranker = Reranker::open(golden_path(name));
  for (size_t query = 0; query < queries.size(); ++query) {
    const std::vector<float> scores = reranker.score(queries[query], documents);
    for (size_t i = 0; i < documents.size(); ++i)
      EXPECT_NEAR(scores[i], expected.root().at("scores")[query][i].as_double(), 1e-5) << i;
  }
  EXPECT_EQ(reranker.info().labels, std::vector<std::string>{"LABEL_0"});
}

TEST_P(GoldenReranker, ScoresDependOnNothingElse) {
  const Reranker reranker = Reranker::open(golden_path(name));
  const std::vector<float> scores = reranker.score(queries[0], documents);
  RunOptions one_thread;
  one_thread.threads = 1;
  for (size_t i = 0; i < documents.size(); ++i)
    EXPECT_EQ(reranker.score(queries[0], std::span(documents).subspan(i, 1), one_thread)[0],
              scores[i]);
  const std::vector<RankedDocument> ranked = reranker.rank(queries[0], documents, 3);
  ASSERT_EQ(ranked.size(), 3u);
  for (const RankedDocument& document : ranked) EXPECT_EQ(document.score, scores[document.index]);
  EXPECT_TRUE(reranker.rank(queries[0], {}).empty());
}

INSTANTIATE_TEST_SUITE_P(All, GoldenReranker, testing::Values("reranker", "reranker-identity"));

TEST(Reranker, ActivationIsThatOfTheFiles) {
  EXPECT_EQ(Reranker::open(golden_path("tasks/reranker")).info().activation, "sigmoid");
  EXPECT_EQ(Reranker::open(golden_path("tasks/reranker-identity")).info().activation, "identity");
}

TEST(Reranker, CountsWhatItReads) {
  const Reranker reranker = Reranker::open(golden_path("tasks/reranker-identity"));
  const std::string long_text(500, 'a');
  const std::vector<std::string_view> documents = {"a", long_text};
  std::vector<float> scores(2);
  const EmbedStats stats = reranker.score("b b", documents, scores.data());
  EXPECT_EQ(stats.texts, 2);
  EXPECT_EQ(stats.truncated, 0);  // one unknown token
  std::string words;
  for (int i = 0; i < 100; ++i) words += "a ";
  const std::vector<std::string_view> more = {words};
  EXPECT_EQ(reranker.score("b", more, scores.data()).truncated, 1);
  expect_error(ErrorCode::invalid_argument, "scores: expected room for 1",
               [&] { reranker.score("b", more, nullptr); });
  std::stop_source stop;
  stop.request_stop();
  RunOptions stopped;
  stopped.stop = stop.get_token();
  expect_error(ErrorCode::cancelled, "cancelled", [&] { reranker.score("b", more, stopped); });
}

TEST(Rank, PutsTheBestFirst) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> scores = {1, nan, 3, 1, 2, nan};
  const auto order = [&](size_t top_k) {
    std::vector<size_t> indices;
    for (const RankedDocument& document : rank(scores, top_k)) indices.push_back(document.index);
    return indices;
  };
  EXPECT_EQ(order(0), (std::vector<size_t>{2, 4, 0, 3, 1, 5}));
  EXPECT_EQ(order(2), (std::vector<size_t>{2, 4}));
  EXPECT_EQ(order(9), (std::vector<size_t>{2, 4, 0, 3, 1, 5}));
}

// A copy of a golden directory with one file replaced.
void expect_refused(ErrorCode code, const std::string& text, const std::string& file,
                    const std::string& content) {
  const TempDir dir;
  std::filesystem::copy(golden_path("tasks/reranker"), dir.path(),
                        std::filesystem::copy_options::recursive);
  dir.write(file, content);
  expect_error(code, text, [&] { Reranker::open(dir.path()); });
}

TEST(Reranker, RefusesWhatIsNoReranker) {
  expect_refused(ErrorCode::unsupported, "\"activation_fn\": \"torch.nn.Tanh\"",
                 "config_sentence_transformers.json", R"({"activation_fn": "torch.nn.Tanh"})");
  expect_refused(ErrorCode::unsupported, "\"activation_fn\": \"mine.Sigmoid\"",
                 "config_sentence_transformers.json", R"({"activation_fn": "mine.Sigmoid"})");
  expect_refused(ErrorCode::unsupported, "\"transformer_task\": \"feature-extraction\"",
                 "sentence_bert_config.json", R"({"transformer_task": "feature-extraction"})");
  expect_refused(ErrorCode::unsupported, "module \"Pooling\"", "modules.json",
                 R"([{"type": "Transformer", "path": ""}, {"type": "Pooling", "path": "1"}])");
  std::string config = read_golden("tasks/reranker/config.json");
  const std::string label = "\"0\": \"LABEL_0\"";
  config.replace(config.find(label), label.size(), label + ", \"1\": \"LABEL_1\"");
  expect_refused(ErrorCode::unsupported, "\"id2label\": expected one label", "config.json", config);
}

}  // namespace
}  // namespace headway
