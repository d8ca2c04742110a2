// Late interaction, against MultiVectorEncoder of sentence-transformers
// (scripts/make_golden_multi_vector.py).
#include "headway/multi_vector_embedder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/embed/task.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway {
namespace {

constexpr const char* kModels[] = {"attended", "bert",    "modernbert", "modernbert-expanded",
                                   "pylate",   "stanford"};

std::vector<float> vector_of(std::span<const float> values) {
  return {values.begin(), values.end()};
}

class GoldenMultiVector : public testing::TestWithParam<const char*> {
 protected:
  std::string name = std::string("multi_vector/") + GetParam();
  Json expected = Json::parse(read_golden(name + "/expected.json"), name);
  std::vector<std::string_view> queries = strings(expected.root().at("queries"));
  std::vector<std::string_view> documents = strings(expected.root().at("documents"));
  MultiVectorEmbedder embedder = MultiVectorEmbedder::open(golden_path(name));
};

void expect_vectors(const MultiVectors& got, JsonNode expected) {
  ASSERT_EQ(static_cast<size_t>(got.texts()), expected.size());
  for (int64_t text = 0; text < got.texts(); ++text) {
    SCOPED_TRACE(testing::Message() << "text " << text);
    const JsonNode tokens = expected[static_cast<size_t>(text)];
    ASSERT_EQ(static_cast<size_t>(got.tokens(text)), tokens.size());
    const std::span<const float> rows = got.rows(text);
    for (size_t token = 0; token < tokens.size(); ++token) {
      ASSERT_EQ(static_cast<size_t>(got.dim), tokens[token].size());
      for (size_t i = 0; i < tokens[token].size(); ++i)
        ASSERT_NEAR(rows[token * tokens[token].size() + i], tokens[token][i].as_double(), 1e-5)
            << "token " << token << ", number " << i;
    }
  }
}

TEST_P(GoldenMultiVector, VectorsAndScoresAreThoseOfTheReference) {
  for (const JsonNode golden : expected.root().at("cases").elements()) {
    SCOPED_TRACE(golden.path());
    EmbedOptions chosen;
    if (const auto prompt = golden.find("prompt")) chosen.prompt = prompt->as_string();
    if (const auto name = golden.find("prompt_name")) chosen.prompt_name = name->as_string();
    const MultiVectors asked = embedder.embed_queries(queries, {}, chosen);
    const MultiVectors answers = embedder.embed_documents(documents, {}, chosen);
    expect_vectors(asked, golden.at("queries"));
    expect_vectors(answers, golden.at("documents"));
    for (int64_t i = 0; i < asked.texts(); ++i)
      for (int64_t j = 0; j < answers.texts(); ++j)
        EXPECT_NEAR(embedder.similarity(asked.rows(i), answers.rows(j)),
                    golden.at("scores")[static_cast<size_t>(i)][static_cast<size_t>(j)].as_double(),
                    1e-5 * static_cast<double>(1 + asked.tokens(i)))
            << i << ' ' << j;
  }
}

TEST_P(GoldenMultiVector, DocumentsAreRankedByTheirScores) {
  const JsonNode scores = expected.root().at("cases")[0].at("scores");
  for (size_t query = 0; query < queries.size(); ++query) {
    const std::vector<RankedDocument> ranked = embedder.rank(queries[query], documents);
    ASSERT_EQ(ranked.size(), documents.size());
    for (size_t i = 1; i < ranked.size(); ++i)
      EXPECT_GE(scores[query][ranked[i - 1].index].as_double(),
                scores[query][ranked[i].index].as_double());
  }
}

TEST_P(GoldenMultiVector, VectorsDependOnNothingElse) {
  std::vector<std::string_view> many;  // more than are in memory at a time
  while (many.size() < 300) many.insert(many.end(), documents.begin(), documents.end());
  const MultiVectors all = embedder.embed_documents(many);
  const std::vector<float> scores = embedder.score(queries[2], many);
  const MultiVectors asked = embedder.embed_queries(queries);
  for (const int threads : {1, 2}) {
    RunOptions options;
    options.threads = threads;
    for (size_t i = 0; i < queries.size(); ++i)
      EXPECT_EQ(embedder.embed_queries(std::span(queries).subspan(i, 1), options).values,
                vector_of(asked.rows(static_cast<int64_t>(i))));
    for (size_t i = 0; i < many.size(); i += 37) {
      const MultiVectors one = embedder.embed_documents(std::span(many).subspan(i, 1), options);
      EXPECT_EQ(one.values, vector_of(all.rows(static_cast<int64_t>(i))));
      EXPECT_EQ(embedder.similarity(asked.rows(2), one.rows(0)), scores[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenMultiVector, testing::ValuesIn(kModels));

const std::string kBert = golden_path("multi_vector/bert");

TEST(MultiVectorEmbedder, SaysWhatItDid) {
  const MultiVectorEmbedder embedder = MultiVectorEmbedder::open(kBert);
  EXPECT_EQ(embedder.info().dim, 6);
  EXPECT_TRUE(embedder.info().normalize);
  EXPECT_EQ(embedder.info().max_length, 20);
  EXPECT_EQ(embedder.info().sources.at("max_length"), "sentence_bert_config.json: document_length");
  const std::string words = [] {
    std::string text;
    for (int i = 0; i < 30; ++i) text += "cat ";
    return text;
  }();
  const std::vector<std::string_view> texts = {"a", words, ""};
  const EmbedStats queries = embedder.embed_queries(texts).stats;
  EXPECT_EQ(queries.texts, 3);
  EXPECT_EQ(queries.tokens, 3 * 12);
  EXPECT_EQ(queries.truncated, 1);
  const MultiVectors documents = embedder.embed_documents(texts);
  EXPECT_EQ(documents.stats.tokens, 5 + 20 + 4);  // [CLS] doc : a [SEP]
  EXPECT_EQ(documents.stats.truncated, 1);
  EXPECT_EQ(documents.offsets, (std::vector<int64_t>{0, 4, 23, 26}));
  const MultiVectors none = embedder.embed_queries({});
  EXPECT_EQ(none.texts(), 0);
  EXPECT_TRUE(none.values.empty());
  EXPECT_TRUE(embedder.rank("a", {}).empty());
  std::vector<float> scores(3);
  const EmbedStats scored = embedder.score(words, texts, scores.data());
  EXPECT_EQ(scored.texts, 4);
  EXPECT_EQ(scored.tokens, 12 + documents.stats.tokens);
  EXPECT_EQ(scored.truncated, 2);
  EXPECT_EQ(embedder.rank("a", texts, 2).size(), 2u);
}

TEST(MultiVectorEmbedder, LimitsMayBeLowered) {
  const auto tokens = [](const char* model, int64_t max_length) {
    const auto embedder = MultiVectorEmbedder::open(
        golden_path(std::string("multi_vector/") + model), {.max_length = max_length});
    std::string text;
    for (int i = 0; i < 50; ++i) text += "a ";
    const std::vector<std::string_view> texts = {text};
    return std::pair(embedder.embed_queries(texts).stats.tokens,
                     embedder.embed_documents(texts).stats.tokens);
  };
  using Tokens = std::pair<int64_t, int64_t>;
  EXPECT_EQ(tokens("bert", 0), Tokens(12, 20));
  EXPECT_EQ(tokens("bert", 7), Tokens(12, 7));  // an expansion has its own length
  EXPECT_EQ(tokens("modernbert", 0), Tokens(8, 40));
  EXPECT_EQ(tokens("modernbert", 30), Tokens(8, 30));
  EXPECT_EQ(tokens("modernbert", 5), Tokens(5, 5));
  EXPECT_EQ(tokens("modernbert-expanded", 0), Tokens(40, 40));
  EXPECT_EQ(tokens("modernbert-expanded", 20), Tokens(20, 20));
  EXPECT_EQ(tokens("modernbert-expanded", 5), Tokens(14, 5));
  expect_error(ErrorCode::limit, "max_length: 21 asked for, 20 allowed",
               [&] { tokens("bert", 21); });
  expect_error(ErrorCode::invalid_argument, "max_length: expected at least 2",
               [&] { tokens("bert", 1); });
}

TEST(MultiVectorEmbedder, RefusesArgumentsThatDoNotFit) {
  const MultiVectorEmbedder embedder = MultiVectorEmbedder::open(kBert);
  const std::vector<std::string_view> texts = {"a"};
  expect_error(ErrorCode::invalid_argument, "scores: expected room for 1",
               [&] { embedder.score("a", texts, nullptr); });
  expect_error(ErrorCode::invalid_argument, "prompt_name: expected one of document, other, query",
               [&] { embedder.embed_queries(texts, {}, {.prompt_name = "none"}); });
  std::stop_source stop;
  stop.request_stop();
  RunOptions stopped;
  stopped.stop = stop.get_token();
  expect_error(ErrorCode::cancelled, "cancelled",
               [&] { embedder.embed_documents(texts, stopped); });
  const std::vector<float> rows(12);
  EXPECT_EQ(max_sim(rows, rows, 6), 0);
  EXPECT_EQ(max_sim(rows, {}, 6), -1e9f);
  expect_error(ErrorCode::invalid_argument, "dim is 0, expected at least 1",
               [&] { max_sim(rows, rows, 0); });
  expect_error(ErrorCode::invalid_argument, "document has 11 numbers, expected rows of 6",
               [&] { max_sim(rows, std::span(rows).first(11), 6); });
  expect_error(ErrorCode::invalid_argument, "query has 5 numbers, expected rows of 6",
               [&] { embedder.similarity(std::span(rows).first(5), rows); });
}

TEST(MultiVectorEmbedder, OtherModelsAreToldFromIt) {
  for (const char* model : kModels)
    EXPECT_EQ(find_task(golden_path(std::string("multi_vector/") + model)), Task::late_interaction);
  for (const char* other : {"tasks/reranker", "tasks/classifier", "pipelines/dense", "missing"})
    EXPECT_NE(find_task(golden_path(other)), Task::late_interaction) << other;
  expect_error(ErrorCode::unsupported, "no model of late interaction",
               [] { MultiVectorEmbedder::open(golden_path("pipelines/dense")); });
  expect_error(ErrorCode::unsupported, "MultiVectorEmbedder opens it, and headway rerank",
               [] { Embedder::open(kBert); });
}

// A copy of a golden directory with one file replaced.
void expect_refused(ErrorCode code, const std::string& text, const std::string& file,
                    const std::string& content, const std::string& model = kBert) {
  SCOPED_TRACE(content);
  const TempDir dir;
  dir.copy(model);
  dir.write(file, content);
  expect_error(code, text, [&] { MultiVectorEmbedder::open(dir.path()); });
}

TEST(MultiVectorEmbedder, RefusesLengthsThatCannotBe) {
  const auto refused = [](ErrorCode code, const std::string& text, const std::string& fields) {
    expect_refused(code, text, "sentence_bert_config.json", "{" + fields + "}");
  };
  constexpr auto kFormat = ErrorCode::format, kUnsupported = ErrorCode::unsupported;
  refused(kFormat, "\"query_length\"", R"("query_length": 0)");
  refused(kFormat, "\"query_length\"", R"("query_length": "8")");
  refused(kFormat, "\"document_length\"", R"("document_length": -5)");
  refused(kFormat, "\"document_length\"", R"("document_length": 1e3)");
  refused(kFormat, "document_length: 1 tokens leave no room", R"("document_length": 1)");
  refused(kFormat, "query_expansion.length: 1 tokens leave no room",
          R"("query_expansion": {"strategy": "fixed", "length": 1})");
  refused(kFormat, "expected at least 12, the length of query_expansion, found 11",
          R"("query_length": 11, "query_expansion": {"strategy": "min", "length": 12})");
  refused(kFormat, "\"query_expansion.length\": expected an integer from 1 to 40, found 41",
          R"("query_expansion": {"strategy": "fixed", "length": 41})");
  refused(kFormat, "\"query_expansion.length\"",
          R"("query_expansion": {"strategy": "fixed", "length": 12.0})");
  refused(kFormat, "length", R"("query_expansion": {"strategy": "fixed"})");
  refused(kFormat, "strategy", R"("query_expansion": {"length": 12})");
  refused(kUnsupported, "\"max\" is not supported; known: fixed, min",
          R"("query_expansion": {"strategy": "max", "length": 12})");
  refused(kUnsupported, "\"query_expansion.pad\"",
          R"("query_expansion": {"strategy": "fixed", "length": 12, "pad": 1})");
  refused(kFormat, "\"query_expansion.attend\"",
          R"("query_expansion": {"strategy": "fixed", "length": 12, "attend": 1})");
  refused(kFormat, "the tokenizer has no token \"<mask>\"",
          R"("query_expansion": {"strategy": "fixed", "length": 12, "token": "<mask>"})");
  refused(kFormat, "\"query_expansion\"", R"("query_expansion": 12)");
  // Without a name of its own, the token is the tokenizer's mask.
  expect_refused(kFormat, "expected a mask_token or an eos_token", "tokenizer_config.json",
                 R"({"tokenizer_class": "PreTrainedTokenizerFast"})");
  expect_refused(kUnsupported, "\"padding_side\": \"left\"", "tokenizer_config.json",
                 R"({"tokenizer_class": "BertTokenizer", "padding_side": "left"})");
}

TEST(MultiVectorEmbedder, RefusesModulesThatItDoesNotKnow) {
  const auto refused = [](ErrorCode code, const std::string& text, const std::string& content) {
    expect_refused(code, text, "2_MultiVectorMask/config.json", content);
  };
  constexpr auto kFormat = ErrorCode::format;
  refused(kFormat, "\"skiplist_words\"", R"({"skiplist_words": "?!"})");
  refused(kFormat, "\"skiplist_words[0]\"", R"({"skiplist_words": [3]})");
  refused(kFormat, "\"skiplist_tasks\"", R"({"skiplist_tasks": 3})");
  refused(kFormat, "\"keep_only_token_ids\"", R"({"keep_only_token_ids": 3})");
  refused(kFormat, "\"keep_only_token_ids[1]\"", R"({"keep_only_token_ids": [3, -1]})");
  refused(kFormat, "\"keep_only_token_ids[0]\"", R"({"keep_only_token_ids": [2147483648]})");
  refused(kFormat, "MultiVectorMask/config.json", "[");
  const auto modules = [](const std::string& more) {
    return R"([{"type": "Transformer", "path": ""})" + more + "]";
  };
  constexpr auto kUnsupported = ErrorCode::unsupported;
  expect_refused(kUnsupported, "module \"HierarchicalTokenPooling\"", "modules.json",
                 modules(R"(, {"type": "a.HierarchicalTokenPooling", "path": "3"})"));
  expect_refused(kUnsupported, "module \"Pooling\"", "modules.json",
                 modules(R"(, {"type": "Pooling", "path": "3"})"));
  const std::string mask = R"(, {"type": "MultiVectorMask", "path": "2_MultiVectorMask"})";
  expect_refused(kUnsupported, "module \"MultiVectorMask\"", "modules.json", modules(mask + mask));
}

TEST(MultiVectorEmbedder, RefusesWhatOlderFilesCannotMean) {
  const auto refused = [](const char* model, const char* file) {
    return [=](const std::string& text, const std::string& fields) {
      expect_refused(ErrorCode::format, text, file, "{" + fields + "}",
                     golden_path(std::string("multi_vector/") + model));
    };
  };
  const auto pylate = refused("pylate", "config_sentence_transformers.json");
  pylate("\"query_prefix\"", R"("query_prefix": 3)");
  pylate("query_length: expected at most 40, the positions of the model, found 41",
         R"("query_prefix": "", "query_length": 41)");
  pylate("\"query_length\"", R"("query_prefix": "", "query_length": 0)");
  pylate("document_length: 1 tokens leave no room", R"("query_prefix": "", "document_length": 1)");
  pylate("\"skiplist_words[0]\"", R"("query_prefix": "", "skiplist_words": [1])");
  pylate("\"do_query_expansion\"", R"("query_prefix": "", "do_query_expansion": "no")");
  const auto stanford = refused("stanford", "artifact.metadata");
  stanford("\"dim\"", R"("dim": 0)");
  stanford("linear.weight", R"("dim": 7)");
  stanford("linear.weight", "");  // 128, where no file says
  stanford("\"doc_maxlen\"", R"("dim": 6, "doc_maxlen": "18")");
}

}  // namespace
}  // namespace headway
