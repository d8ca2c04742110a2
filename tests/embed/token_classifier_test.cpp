// Entities, against the pipeline of transformers (scripts/make_golden_tokens.py).
#include "headway/token_classifier.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "engine/embed/token_window.hpp"
#include "engine/text/unicode.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

constexpr Aggregation kAggregations[] = {Aggregation::none, Aggregation::simple, Aggregation::first,
                                         Aggregation::average, Aggregation::max};

// The byte at which the character of this number begins.
size_t byte_of(std::string_view text, int64_t character) {
  const char* p = text.data();
  for (int64_t i = 0; i < character; ++i) decode_utf8(p, text.data() + text.size());
  return static_cast<size_t>(p - text.data());
}

// Scores bit for bit.
bool same(const std::vector<Entity>& a, const std::vector<Entity>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Entity& x, const Entity& y) {
    return std::tie(x.label, x.score, x.word, x.begin, x.end) ==
           std::tie(y.label, y.score, y.word, y.begin, y.end);
  });
}

class GoldenEntities : public testing::TestWithParam<const char*> {
 protected:
  std::string name = std::string("tokens/") + GetParam();
  Json expected = Json::parse(read_golden(name + "/expected.json"), name);
  std::vector<std::string_view> texts = strings(expected.root().at("texts"));
  TokenClassifier classifier = TokenClassifier::open(golden_path(name));
};

TEST_P(GoldenEntities, AreThoseOfTheReference) {
  for (const Aggregation aggregation : kAggregations) {
    SCOPED_TRACE(to_string(aggregation));
    EntityOptions options{.aggregation = aggregation};
    if (aggregation == Aggregation::none) options.ignored_labels.clear();
    const Entities entities = classifier.classify(texts, {}, options);
    const JsonNode all = expected.root().at("entities").at(to_string(aggregation));
    ASSERT_EQ(entities.texts.size(), all.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      SCOPED_TRACE(texts[i]);
      ASSERT_EQ(entities.texts[i].size(), all[i].size());
      for (size_t j = 0; j < all[i].size(); ++j) {
        const Entity& entity = entities.texts[i][j];
        EXPECT_EQ(entity.label, all[i][j][0].as_string());
        EXPECT_NEAR(entity.score, all[i][j][1].as_double(), 1e-5);
        EXPECT_EQ(entity.word, all[i][j][2].as_string());
        EXPECT_EQ(entity.begin, byte_of(texts[i], all[i][j][3].as_int64()));
        EXPECT_EQ(entity.end, byte_of(texts[i], all[i][j][4].as_int64()));
      }
    }
  }
}

TEST_P(GoldenEntities, DependOnNothingElse) {
  std::vector<std::string_view> many;  // more than a window
  while (many.size() < 4100) many.insert(many.end(), texts.begin(), texts.end());
  RunOptions one_thread;
  one_thread.threads = 1;
  for (const Aggregation aggregation : {Aggregation::none, Aggregation::average}) {
    const EntityOptions options{.aggregation = aggregation};
    const Entities all = classifier.classify(many, {}, options);
    for (size_t i = 0; i < texts.size(); ++i) {
      const Entities one = classifier.classify(std::span(texts).subspan(i, 1), one_thread, options);
      for (size_t copy = i; copy < many.size(); copy += texts.size())
        ASSERT_TRUE(same(all.texts[copy], one.texts[0])) << copy;
    }
  }
}

TEST_P(GoldenEntities, CountWhatWasCut) {
  int64_t longer = 0;
  for (const std::string_view text : texts)
    longer += classifier.tokenizer().encode(text).ids.size() > 24 ? 1 : 0;
  EXPECT_GT(longer, 0);
  const EmbedStats stats = classifier.classify(texts).stats;
  EXPECT_EQ(stats.texts, static_cast<int64_t>(texts.size()));
  EXPECT_EQ(stats.truncated, longer);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenEntities,
                         testing::Values("bert", "modernbert", "roberta", "xlm-roberta"));

TEST(TokenClassifier, LeavesOutWhatItIsTold) {
  const auto classifier = TokenClassifier::open(golden_path("tokens/bert"));
  const std::vector<std::string> labels = {"O", "B-PER", "I-PER", "B-LOC", "I-LOC"};
  EXPECT_EQ(classifier.info().labels, labels);
  const std::vector<std::string_view> text = {"the hello world, the cat"};
  const auto find = [&](std::vector<std::string> ignored) {
    return classifier.classify(text, {}, {Aggregation::simple, std::move(ignored)}).texts[0];
  };
  std::vector<Entity> others;
  for (const Entity& entity : find({}))
    if (entity.label == "LOC") others.push_back(entity);
  EXPECT_FALSE(others.empty());
  EXPECT_TRUE(same(find({"O", "PER"}), others));
  EXPECT_LT(others.size(), find({"O"}).size());
  EXPECT_TRUE(find({"O", "PER", "LOC"}).empty());
  EXPECT_TRUE(classifier.classify({}).texts.empty());
}

// As if U+FFFD stood there, which is three bytes and not one.
TEST(TokenClassifier, TakesBytesThatAreNoText) {
  for (const char* name : {"tokens/bert", "tokens/roberta", "tokens/xlm-roberta"}) {
    const auto classifier = TokenClassifier::open(golden_path(name));
    const std::vector<std::string_view> texts = {"a\xFF the", "a\uFFFD the"};
    for (const Aggregation aggregation : kAggregations) {
      const auto found = classifier.classify(texts, {}, {aggregation, {}}).texts;
      ASSERT_EQ(found[0].size(), found[1].size());
      ASSERT_FALSE(found[0].empty());
      for (size_t i = 0; i < found[0].size(); ++i) {
        EXPECT_EQ(found[0][i].score, found[1][i].score);
        EXPECT_EQ(found[0][i].word, found[1][i].word);
        EXPECT_EQ(found[0][i].begin + (found[0][i].begin > 1 ? 2 : 0), found[1][i].begin);
        EXPECT_EQ(found[0][i].end + (found[0][i].end > 1 ? 2 : 0), found[1][i].end);
      }
    }
  }
}

TEST(TokenClassifier, Stops) {
  const auto classifier = TokenClassifier::open(golden_path("tokens/bert"));
  std::stop_source stop;
  stop.request_stop();
  RunOptions stopped;
  stopped.stop = stop.get_token();
  const std::vector<std::string_view> texts = {"a"};
  expect_error(ErrorCode::cancelled, "cancelled", [&] { classifier.classify(texts, stopped); });
}

TEST(TokenClassifier, RefusesLabelsThatDoNotFit) {
  const auto refused = [](ErrorCode code, const char* from, const char* to, const char* message,
                          const char* file = "config.json") {
    const TempDir dir;
    dir.copy(golden_path("tokens/bert"));
    dir.replace(file, from, to);
    expect_error(code, message, [&] { TokenClassifier::open(dir.path()); });
  };
  refused(ErrorCode::format, "\"1\": \"B-PER\"", "\"9\": \"B-PER\"", "field \"id2label");
  refused(ErrorCode::format, "\"1\": \"B-PER\"", "\"1\": 3", "field \"id2label");
  refused(ErrorCode::format, "\"4\": \"I-LOC\"", "\"4\": \"I-LOC\", \"5\": \"more\"",
          "\"classifier.weight\": expected [6, 8], found [5, 8]");
  // A name of the same length keeps the file's header as long as it was.
  refused(ErrorCode::not_found, "\"classifier.weight\"", "\"Classifier.weight\"",
          "\"classifier.weight\"", "model.safetensors");
  const TempDir dir;
  dir.copy(golden_path("tokens/bert"));
  dir.write("modules.json",
            R"([{"type": "Transformer", "path": ""}, {"type": "Pooling", "path": "1"}])");
  expect_error(ErrorCode::unsupported, "module \"Pooling\"",
               [&] { TokenClassifier::open(dir.path()); });
}

// Scores of many labels take much memory: windows are smaller then.
TEST(TokenWindow, HasNoMoreTokensThanItMay) {
  const auto bytes = [](size_t) { return size_t{92}; };  // and 8 special tokens
  EXPECT_EQ(window_size(50, bytes, 512), 50u);
  EXPECT_EQ(window_size(50, bytes, 512, 1000), 10u);
  EXPECT_EQ(window_size(50, bytes, 20, 1000), 50u);
  EXPECT_EQ(window_size(50, bytes, 512, 1), 1u);
  EXPECT_EQ(window_size(0, bytes, 512, 1), 0u);
}

}  // namespace
}  // namespace headway
