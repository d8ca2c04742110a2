// What callers and the world outside may do to an embedder: odd texts, files that change under it,
// threads with small stacks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "headway/embedder.hpp"
#include "tests/models/tiny_model.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/small_stack.hpp"

namespace headway {
namespace {

TEST(EmbedderHostile, TextsOf100Megabytes) {
  const TempDir dir;
  TinyModel().write(dir);
  const Embedder embedder = Embedder::open(dir.path());
  // Words; one word; bytes that are no UTF-8; combining marks, which normalizing has to sort.
  for (const std::string_view part : {"a b c ", "a", "\xff\xc3", "\u0301\u0327"}) {
    std::string text;
    while (text.size() < (size_t{100} << 20)) text += part;
    const std::vector<std::string> texts{text, "a", text};
    const Embeddings vectors = embedder.embed(texts);
    EXPECT_THAT(vectors.row(1),
                testing::ElementsAreArray(embedder.embed(std::vector<std::string>{"a"}).row(0)));
    EXPECT_THAT(vectors.row(0), testing::ElementsAreArray(vectors.row(2)));
  }
}

TEST(EmbedderHostile, NoTexts) {
  const TempDir dir;
  TinyModel().write(dir);
  const Embedder embedder = Embedder::open(dir.path());
  EXPECT_EQ(embedder.embed(std::span<const std::string>()).texts, 0);
  EXPECT_EQ(embedder.embed(std::span<const std::string_view>(), nullptr).tokens, 0);
  const std::vector<std::string_view> texts{"a"};
  expect_error(ErrorCode::invalid_argument, "out: ", [&] { embedder.embed(texts, nullptr); });
}

TEST(EmbedderHostile, AModelThatIsRemoved) {
  const TempDir dir;
  TinyModel().write(dir);
  const std::vector<std::string> texts{"a b", "c"};
  const Embedder embedder = Embedder::open(dir.path());
  const std::vector<float> expected = embedder.embed(texts).values;
  std::filesystem::remove_all(dir.path());
  EXPECT_EQ(embedder.embed(texts).values, expected);
  expect_error(ErrorCode::not_found, dir.path(), [&] { Embedder::open(dir.path()); });
}

// Its tables are read in place, so what is written to the file would be taken for the model, and
// what is no longer there would end the process.
TEST(EmbedderHostile, AModelThatIsWrittenTo) {
  const TempDir dir;
  TinyModel().write(dir);
  const std::vector<std::string_view> texts{"a b", "c"};
  std::vector<float> out(2 * 8, -5);
  const auto expect_refused = [&](const Embedder& embedder) {
    expect_error(ErrorCode::io, "model.safetensors\" was written to",
                 [&] { embedder.embed(texts, out.data()); });
    EXPECT_THAT(out, testing::Each(-5));
  };
  const Embedder emptied = Embedder::open(dir.path());
  emptied.embed(texts, std::vector<float>(16).data());
  const std::string content = dir.read("model.safetensors");
  ASSERT_EQ(::truncate(dir.path("model.safetensors").c_str(), 0), 0);
  expect_refused(emptied);
  expect_error(ErrorCode::format, "model.safetensors", [&] { Embedder::open(dir.path()); });

  // Replaced as a whole, which leaves what is open alone.
  dir.write("new", content);
  std::filesystem::rename(dir.path("new"), dir.path("model.safetensors"));
  const Embedder replaced = Embedder::open(dir.path());
  replaced.embed(texts, std::vector<float>(16).data());
  dir.write("new", content);
  std::filesystem::rename(dir.path("new"), dir.path("model.safetensors"));
  replaced.embed(texts, std::vector<float>(16).data());
}

// The first run also makes oneDNN's kernels.
TEST(EmbedderHostile, AThreadWithASmallStack) {
  const auto embedder = Embedder::open(HEADWAY_SOURCE_DIR "/models/all-MiniLM-L6-v2");
  std::string words;
  for (int i = 0; i < 250; ++i) words += "word ";
  const std::vector<std::string> texts{"a cat", words, "\u0301" + words};
  std::vector<float> vectors;
  on_small_stack([&] { vectors = embedder.embed(texts).values; });
  EXPECT_EQ(vectors, embedder.embed(texts).values);
}

}  // namespace
}  // namespace headway
