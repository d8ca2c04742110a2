// What embed() does with its texts, on a model so small that thousands of texts take no time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "engine/embed/token_window.hpp"
#include "headway/embedder.hpp"
#include "tests/models/tiny_model.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

Embedder open_tiny(const TinyModel& tiny = TinyModel(), const EmbedderOptions& options = {}) {
  const TempDir dir;
  tiny.write(dir);
  return Embedder::open(dir.path(), options);  // needs the directory no more
}

std::vector<float> embed_one(const Embedder& embedder, std::string_view text) {
  return embedder.embed(std::span(&text, 1)).values;
}

TEST(Embedder, TakesNoTexts) {
  const Embedder embedder = open_tiny();
  const Embeddings none = embedder.embed(std::span<const std::string_view>());
  EXPECT_EQ(none.texts, 0);
  EXPECT_EQ(none.dim, 8);
  EXPECT_TRUE(none.values.empty());
  EXPECT_EQ(none.stats.tokens, 0);
  EXPECT_EQ(embedder.embed(std::span<const std::string_view>(), nullptr).texts, 0);
}

TEST(Embedder, NeedsRoomForTheVectors) {
  const Embedder embedder = open_tiny();
  const std::vector<std::string_view> texts = {"a", "b"};
  expect_error(ErrorCode::invalid_argument, "room for 2 vectors",
               [&] { embedder.embed(texts, nullptr); });
}

TEST(Embedder, CountsTokensAndTruncatedTexts) {
  const Embedder embedder = open_tiny();
  const std::vector<std::string> texts = {
      "",                              // [CLS] [SEP]
      "a b",                           // 4
      "a b c d e f g h i j k l m n",   // 16, the limit
      "a b c d e f g h i j k l m n o"  // one more
  };
  const EmbedStats stats = embedder.embed(texts).stats;
  EXPECT_EQ(stats.texts, 4);
  EXPECT_EQ(stats.tokens, 2 + 4 + 16 + 16);
  EXPECT_EQ(stats.truncated, 1);
  EXPECT_EQ(embed_one(embedder, texts[2]), embed_one(embedder, texts[3]));
  EXPECT_NE(embed_one(embedder, texts[0]), embed_one(embedder, texts[1]));
}

TEST(Embedder, TakesManyTextsInWindows) {
  EmbedderOptions options;
  options.threads = 2;
  const Embedder embedder = open_tiny(TinyModel(), options);
  // 9973 is prime and more than two windows.
  std::vector<std::string> texts;
  for (size_t i = 0; i < 9973; ++i) {
    std::string text;
    for (size_t j = 0; j <= i % 7; ++j) text += {static_cast<char>('a' + (i * (j + 1)) % 25), ' '};
    texts.push_back(text);
  }
  const Embeddings all = embedder.embed(texts);
  EXPECT_EQ(all.stats.texts, 9973);
  for (size_t i = 0; i < texts.size(); i += 101) {
    const auto row = all.row(static_cast<int64_t>(i));
    EXPECT_EQ(std::vector<float>(row.begin(), row.end()), embed_one(embedder, texts[i])) << i;
  }
  const auto last = all.row(9972);
  EXPECT_EQ(std::vector<float>(last.begin(), last.end()), embed_one(embedder, texts.back()));
}

size_t window_of(std::span<const std::string_view> texts, int64_t max_length) {
  return window_size(
      texts.size(), [&](size_t text) { return texts[text].size(); }, max_length);
}

TEST(Embedder, WindowsBoundTextsAndTokens) {
  const std::vector<std::string_view> empty(10000);
  EXPECT_EQ(window_of(empty, 512), 4096u);
  const std::string page(2000, 'x');
  const std::vector<std::string_view> pages(10000, page);
  EXPECT_EQ(window_of(pages, 512), (size_t{1} << 19) / 512);
  EXPECT_EQ(window_of(pages, int64_t{1} << 40), (size_t{1} << 19) / 2008);
  EXPECT_EQ(window_of(std::span(pages).first(3), 512), 3u);
  const std::string book(size_t{1} << 20, 'x');
  const std::vector<std::string_view> books(3, book);
  EXPECT_EQ(window_of(books, int64_t{1} << 40), 1u);  // never none
  EXPECT_EQ(window_of({}, 512), 0u);
}

TEST(Embedder, ReadsLongTextsUpToTheLimit) {
  const Embedder embedder = open_tiny();
  std::string text = "a b c d e f g h i j k l m n";
  const std::vector<float> expected = embed_one(embedder, text);
  while (text.size() < (8u << 20)) text += " o p q r s t u v w x y";
  EXPECT_EQ(embed_one(embedder, text), expected);
}

TEST(Embedder, ReplacesInvalidBytes) {
  const Embedder embedder = open_tiny();
  EXPECT_EQ(embed_one(embedder, "a \xff\xc3 b"), embed_one(embedder, "a \uFFFD\uFFFD b"));
  EXPECT_EQ(embed_one(embedder, std::string_view("a\0b", 3)), embed_one(embedder, "ab"));
}

TEST(Embedder, GivesTheSameThroughEveryForm) {
  const Embedder embedder = open_tiny();
  const std::vector<std::string> texts = {"a b", "c"};
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const Embeddings owned = embedder.embed(texts);
  std::vector<float> out(2 * 8 + 1, -5);
  const EmbedStats stats = embedder.embed(views, out.data());
  EXPECT_EQ(out.back(), -5);  // nothing beyond
  out.pop_back();
  EXPECT_EQ(owned.values, out);
  EXPECT_EQ(embedder.embed(views).values, out);
  EXPECT_EQ(stats.tokens, owned.stats.tokens);
  const Embedder copy = embedder;
  EXPECT_EQ(copy.embed(views).values, out);
}

TEST(Embedder, StopsWhenAsked) {
  const Embedder embedder = open_tiny();
  std::stop_source source;
  RunOptions options;
  options.stop = source.get_token();
  const std::vector<std::string_view> texts(500000, "a b c d e f g h i j k l m n");
  std::vector<float> out(texts.size() * 8);
  // While it runs ...
  std::jthread asker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    source.request_stop();
  });
  expect_error(ErrorCode::cancelled, "", [&] { embedder.embed(texts, out.data(), options); });
  EXPECT_EQ(std::vector<float>(out.end() - 8, out.end()), std::vector<float>(8));
  asker.join();
  // ... and before.
  expect_error(ErrorCode::cancelled, "",
               [&] { embedder.embed(std::span(texts).first(1), out.data(), options); });
  // Later calls are not concerned.
  EXPECT_EQ(embedder.embed(std::span(texts).first(1)).texts, 1);
}

TEST(Embedder, PoolsAsTheModulesSay) {
  // [CLS] a [SEP] alone: with cls pooling the first token's hidden state.
  TinyModel mean, cls;
  mean.files["modules.json"] = cls.files["modules.json"] =
      TinyModel::modules({"Transformer", "Pooling"});
  cls.files["1_Pooling/config.json"] =
      R"({"word_embedding_dimension": 8, "pooling_mode_cls_token": true})";
  const Embedder by_mean = open_tiny(mean), by_cls = open_tiny(cls);
  EXPECT_EQ(by_mean.info().pooling, "mean");
  EXPECT_EQ(by_cls.info().pooling, "cls");
  EXPECT_FALSE(by_cls.info().normalize);

  const std::vector<int32_t> ids = by_cls.tokenizer().encode("a").ids;
  ASSERT_THAT(ids, testing::ElementsAre(2, 5, 3));
  const std::vector<int32_t> types(3);
  const Batch batch = Batch::dense(1, 3);
  std::vector<float> hidden(3 * 8);
  by_cls.engine().run({{"ids", batch, TensorView(ids.data(), {3, 1})},
                       {"type_ids", batch, TensorView(types.data(), {3, 1})}},
                      {{"hidden", MutableTensorView(hidden.data(), {3, 8})}});
  EXPECT_EQ(embed_one(by_cls, "a"), std::vector<float>(hidden.begin(), hidden.begin() + 8));
  const std::vector<float> pooled = embed_one(by_mean, "a");
  double squares = 0;
  for (size_t d = 0; d < 8; ++d) {
    const double expected = (double{hidden[d]} + hidden[8 + d] + hidden[16 + d]) / 3;
    EXPECT_NEAR(pooled[d], expected, 1e-6);
    squares += double{pooled[d]} * pooled[d];
  }

  const std::vector<float> normalized = embed_one(open_tiny(), "a");
  for (size_t d = 0; d < 8; ++d) EXPECT_NEAR(normalized[d], pooled[d] / std::sqrt(squares), 1e-6);
}

}  // namespace
}  // namespace headway
