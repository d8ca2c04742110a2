// Weights in several files: read as from one, and refused where the index and the files disagree.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>

#include "engine/models/model.hpp"
#include "tests/models/tiny_model.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

constexpr char kIndex[] = "model.safetensors.index.json";
constexpr char kFirst[] = "model-00001-of-00002.safetensors";
constexpr char kSecond[] = "model-00002-of-00002.safetensors";
constexpr char kQuery[] = "encoder.layer.0.attention.self.query.weight";
constexpr char kWords[] = "embeddings.word_embeddings.weight";

// The tiny model in two files: the embeddings, and the rest. Change the maps, then write().
struct Sharded {
  TinyModel first, second;
  std::map<std::string, std::string> weight_map;

  Sharded() {
    for (const auto& [name, tensor] : TinyModel().tensors) {
      const bool embeds = name.starts_with("embeddings.");
      (embeds ? second : first).tensors.erase(name);
      weight_map[name] = embeds ? kFirst : kSecond;
    }
  }

  void write(const TempDir& dir) const {
    first.write(dir);
    std::filesystem::remove(dir.path("model.safetensors"));
    dir.write(kFirst, first.safetensors());
    dir.write(kSecond, second.safetensors());
    std::string entries;
    for (const auto& [name, file] : weight_map)
      entries += cat(entries.empty() ? "\"" : ", \"", name, "\": \"", file, "\"");
    dir.write(kIndex, cat(R"({"metadata": {"total_size": 1}, "weight_map": {)", entries, "}}"));
  }
};

TEST(Shards, AreReadAsOneFile) {
  const TempDir whole, parts;
  TinyModel().write(whole);
  Sharded().write(parts);
  ModelFiles whole_files = open_model_files(whole.path()), files = open_model_files(parts.path());
  const LoadedModel expected = load_model(whole_files);
  const LoadedModel model = load_model(files);
  EXPECT_EQ(files.tensors.taken().elements, whole_files.tensors.taken().elements);
  ASSERT_EQ(model.words.shape(), expected.words.shape());
  EXPECT_EQ(std::memcmp(model.words.view().data, expected.words.view().data, 30 * 8 * 4), 0);
}

// As transformers chooses when both are there.
TEST(Shards, GiveWayToASingleFile) {
  const TempDir dir;
  TinyModel().write(dir);
  dir.write(kIndex, "not even JSON");
  EXPECT_EQ(load_model(dir.path()).dim, 8);
}

void expect_refused(
    ErrorCode code, const std::vector<std::string>& texts, const Sharded& model,
    const std::function<void(const TempDir&)>& damage = [](const TempDir&) {}) {
  const TempDir dir;
  model.write(dir);
  damage(dir);
  for (const std::string& text : texts) expect_error(code, text, [&] { load_model(dir.path()); });
}

TEST(Shards, MustBeThere) {
  expect_refused(ErrorCode::format, {kIndex, "weight_map", kSecond, "is missing"}, Sharded(),
                 [](const TempDir& dir) { std::filesystem::remove(dir.path(kSecond)); });
  const TempDir dir;
  TinyModel().write(dir);
  std::filesystem::remove(dir.path("model.safetensors"));
  expect_error(ErrorCode::not_found, "no model.safetensors in it, nor model.safetensors.index.json",
               [&] { load_model(dir.path()); });
}

TEST(Shards, MustLieInTheDirectory) {
  for (const char* path : {"../model.safetensors", "/etc/model.safetensors", "a/../../b"}) {
    Sharded model;
    model.weight_map[kQuery] = path;
    expect_refused(ErrorCode::format, {kIndex, kQuery, "a path inside the model directory", path},
                   model);
  }
  const TempDir elsewhere;
  const std::string outside = elsewhere.write("weights", Sharded().second.safetensors());
  expect_refused(ErrorCode::format, {kIndex, kSecond, "is a link to elsewhere"}, Sharded(),
                 [&](const TempDir& dir) {
                   std::filesystem::remove(dir.path(kSecond));
                   std::filesystem::create_symlink(outside, dir.path(kSecond));
                 });
}

TEST(Shards, HoldTheTensorsThatTheIndexSays) {
  Sharded elsewhere;
  elsewhere.weight_map[kQuery] = kFirst;
  expect_refused(ErrorCode::format, {kIndex, kQuery, "is not in", kFirst}, elsewhere);

  Sharded twice;
  twice.second.tensors[kWords] = twice.first.tensors[kWords];
  expect_refused(ErrorCode::format, {kIndex, kWords, "is also in", kSecond}, twice);

  Sharded unlisted;
  unlisted.weight_map.erase(kQuery);
  expect_refused(ErrorCode::not_found, {kIndex, kQuery, "is missing"}, unlisted);

  Sharded reshaped;
  reshaped.second.tensors[kQuery].shape = {64};
  expect_refused(ErrorCode::format, {kSecond, kQuery, "expected [8, 8], found [64]"}, reshaped);
}

TEST(Shards, HaveAnIndexThatIsOne) {
  for (const char* text : {"", "[]", "{}", R"({"weight_map": []})", R"({"weight_map": {"a": 1}})",
                           R"({"weight_map": {"a": "x", "a": "y"}})"}) {
    SCOPED_TRACE(text);
    expect_refused(ErrorCode::format, {kIndex}, Sharded(),
                   [&](const TempDir& dir) { dir.write(kIndex, text); });
  }
  expect_refused(ErrorCode::not_found, {kIndex, kWords}, Sharded(),
                 [](const TempDir& dir) { dir.write(kIndex, R"({"weight_map": {}})"); });
}

}  // namespace
}  // namespace headway
