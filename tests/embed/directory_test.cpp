// sentence-transformers directories: what is read from which file, and what is refused with which
// message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "headway/embedder.hpp"
#include "tests/models/tiny_model.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

using Change = std::function<void(TinyModel&)>;

ModelInfo info_of(const Change& change, const EmbedderOptions& options = {}) {
  const TempDir dir;
  TinyModel tiny;
  change(tiny);
  tiny.write(dir);
  return Embedder::open(dir.path(), options).info();
}

void expect_refused(ErrorCode code, const std::vector<std::string>& texts, const Change& change,
                    const EmbedderOptions& options = {}) {
  for (const std::string& text : texts) expect_error(code, text, [&] { info_of(change, options); });
}

Change with_file(const std::string& name, const std::string& content) {
  return [=](TinyModel& tiny) { tiny.files[name] = content; };
}

EmbedderOptions with_max_length(int64_t max_length) {
  EmbedderOptions options;
  options.max_length = max_length;
  return options;
}

TEST(Modules, GoByTheLastPartOfTheirType) {
  const ModelInfo info = info_of(with_file("modules.json", R"([
    {"path": "", "type": "sentence_transformers.base.modules.transformer.Transformer"},
    {"path": "1_Pooling", "type": "sentence_transformers.sentence_transformer.modules.pooling.Pooling"},
    {"path": "2_Normalize", "type": "Normalize"}])"));
  EXPECT_EQ(info.pooling, "mean");
  EXPECT_TRUE(info.normalize);
}

TEST(Modules, MayBeMissing) {
  const ModelInfo info = info_of([](TinyModel& tiny) { tiny.files.erase("modules.json"); });
  EXPECT_EQ(info.pooling, "mean");
  EXPECT_FALSE(info.normalize);
}

TEST(Modules, TransformerMayHaveItsOwnDirectory) {
  const TempDir dir;
  const TinyModel tiny;
  tiny.write(dir);
  std::filesystem::create_directory(dir.path("0_Transformer"));
  for (const char* name : {"config.json", "model.safetensors", "vocab.txt", "tokenizer_config.json",
                           "sentence_bert_config.json"})
    std::filesystem::rename(dir.path(name), dir.path(std::string("0_Transformer/") + name));
  dir.write("modules.json",
            R"([{"path": "0_Transformer", "type": "Transformer"},
                {"path": "1_Pooling", "type": "Pooling"}])");
  const ModelInfo info = Embedder::open(dir.path()).info();
  EXPECT_EQ(info.max_length, 16);
  EXPECT_FALSE(info.normalize);
}

TEST(Modules, OthersAreRefusedByName) {
  expect_refused(
      ErrorCode::unsupported, {"modules.json", "[2].type", "\"Dense\"", "known: "},
      with_file("modules.json", TinyModel::modules({"Transformer", "Pooling", "Dense"})));
  for (const std::vector<std::string>& kinds :
       std::vector<std::vector<std::string>>{{},
                                             {"Transformer"},
                                             {"Pooling"},
                                             {"Pooling", "Transformer"},
                                             {"Transformer", "Normalize"},
                                             {"Transformer", "Pooling", "Pooling"},
                                             {"Transformer", "Pooling", "Normalize", "Normalize"}})
    expect_refused(ErrorCode::format,
                   {"modules.json", "expected Transformer, Pooling and perhaps Normalize"},
                   with_file("modules.json", TinyModel::modules(kinds)));
  for (const char* content : {"{}", "3", "[3]", "[{}]", R"([{"type": 3, "path": ""}])",
                              R"([{"type": "Transformer"}])", "[", ""})
    expect_refused(ErrorCode::format, {"modules.json"}, with_file("modules.json", content));
}

TEST(Modules, StayInsideTheDirectory) {
  for (const char* path : {"../1_Pooling", "/1_Pooling", "1_Pooling/..", "a/../../b", ".."})
    expect_refused(ErrorCode::format, {"modules.json", "[1].path", path},
                   with_file("modules.json", std::string(R"([{"path": "", "type": "Transformer"},
                     {"path": ")") + path + R"(", "type": "Pooling"}])"));
  expect_refused(ErrorCode::format, {"modules.json", "[1].path"},
                 with_file("modules.json", R"([{"path": "", "type": "Transformer"},
                   {"path": "1_Pooling\u0000x", "type": "Pooling"}])"));

  const TempDir elsewhere, dir;
  TinyModel().write(elsewhere);
  TinyModel().write(dir);
  std::filesystem::remove_all(dir.path("1_Pooling"));
  std::filesystem::create_directory_symlink(elsewhere.path("1_Pooling"), dir.path("1_Pooling"));
  expect_error(ErrorCode::format, "is a link to elsewhere", [&] { Embedder::open(dir.path()); });
  // A link to the whole directory is fine, and one inside it.
  const std::string link = elsewhere.path("link");
  std::filesystem::remove(dir.path("1_Pooling"));
  TinyModel().write(dir);
  std::filesystem::rename(dir.path("1_Pooling"), dir.path("pooling"));
  std::filesystem::create_directory_symlink("pooling", dir.path("1_Pooling"));
  std::filesystem::create_directory_symlink(dir.path(), link);
  EXPECT_EQ(Embedder::open(link).info().pooling, "mean");
}

TEST(Modules, NormalizeOfOtherValuesIsRefused) {
  EXPECT_TRUE(info_of(with_file("2_Normalize/config.json",
                                R"({"module_input_name": "sentence_embedding"})"))
                  .normalize);
  expect_refused(
      ErrorCode::unsupported, {"2_Normalize/config.json", "module_input_name", "token_embeddings"},
      with_file("2_Normalize/config.json", R"({"module_input_name": "token_embeddings"})"));
}

Change with_pooling(const std::string& fields) {
  return with_file("1_Pooling/config.json", "{" + fields + "}");
}

TEST(PoolingConfig, BothFormsAreRead) {
  EXPECT_EQ(info_of(with_pooling(R"("embedding_dimension": 8, "pooling_mode": "cls")")).pooling,
            "cls");
  EXPECT_EQ(info_of(with_pooling(R"("embedding_dimension": 8, "pooling_mode": ["mean"])")).pooling,
            "mean");
  EXPECT_EQ(info_of(with_pooling(R"("word_embedding_dimension": 8,
              "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false,
              "pooling_mode_max_tokens": false, "pooling_mode_mean_sqrt_len_tokens": false,
              "pooling_mode_weightedmean_tokens": false, "pooling_mode_lasttoken": false)"))
                .pooling,
            "cls");
}

TEST(PoolingConfig, OtherModesAreRefusedByName) {
  for (const char* mode : {"max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken", "other"})
    expect_refused(
        ErrorCode::unsupported,
        {"1_Pooling/config.json", std::string("\"") + mode + "\"", "known: "},
        with_pooling(std::string(R"("embedding_dimension": 8, "pooling_mode": ")") + mode + "\""));
  expect_refused(ErrorCode::unsupported, {"\"max, mean\""},
                 with_pooling(R"("word_embedding_dimension": 8, "pooling_mode_mean_tokens": true,
                      "pooling_mode_max_tokens": true)"));
  expect_refused(ErrorCode::unsupported, {"\"mean, cls\""},
                 with_pooling(R"("embedding_dimension": 8, "pooling_mode": ["mean", "cls"])"));
}

TEST(PoolingConfig, OneModeMustBeChosenAndTheWidthBeRight) {
  for (const char* fields : {R"("embedding_dimension": 8)",
                             R"("embedding_dimension": 8, "pooling_mode_mean_tokens": false)",
                             R"("embedding_dimension": 8, "pooling_mode": [])"})
    expect_refused(ErrorCode::format, {"1_Pooling/config.json", "no pooling mode is chosen"},
                   with_pooling(fields));
  for (const char* name : {"embedding_dimension", "word_embedding_dimension"})
    expect_refused(ErrorCode::format, {"1_Pooling/config.json", name, "expected 8", "found 16"},
                   with_pooling(std::string("\"") + name + R"(": 16, "pooling_mode": "mean")"));
  expect_refused(ErrorCode::format, {"embedding_dimension\" is missing"},
                 with_pooling(R"("pooling_mode": "mean")"));
  for (const char* fields : {R"("embedding_dimension": "8", "pooling_mode": "mean")",
                             R"("embedding_dimension": NaN, "pooling_mode": "mean")",
                             R"("embedding_dimension": 8, "pooling_mode": 3)",
                             R"("embedding_dimension": 8, "pooling_mode_cls_token": "yes")"})
    expect_refused(ErrorCode::format, {"1_Pooling/config.json"}, with_pooling(fields));
  expect_refused(ErrorCode::not_found, {"1_Pooling/config.json"},
                 [](TinyModel& tiny) { tiny.files.erase("1_Pooling/config.json"); });
}

TEST(LengthLimit, ComesFromTheFirstFileThatHasOne) {
  const auto expect = [](int64_t limit, const std::string& from, const Change& change) {
    const ModelInfo info = info_of(change);
    EXPECT_EQ(info.max_length, limit);
    EXPECT_EQ(info.max_length_from, from);
  };
  const char* listed = "sentence_bert_config.json: max_seq_length";
  expect(16, listed, [](TinyModel&) {});
  // More than the tokenizer says, and as many as there are positions.
  expect(32, listed, with_file("sentence_bert_config.json", R"({"max_seq_length": 32})"));
  // More than there are positions cannot be.
  expect(32, "config.json: max_position_embeddings",
         with_file("sentence_bert_config.json", R"({"max_seq_length": 33})"));
  for (const char* none : {"{}", R"({"max_seq_length": null})"})
    expect(20, "tokenizer_config.json: model_max_length",
           with_file("sentence_bert_config.json", none));
  expect(20, "tokenizer_config.json: model_max_length",
         [](TinyModel& tiny) { tiny.files.erase("sentence_bert_config.json"); });
  // What is saved as truncation or max_length elsewhere is no limit.
  for (const char* none :
       {R"({"do_lower_case": true, "max_length": 5, "truncation": {"max_length": 5}})",
        R"({"do_lower_case": true, "model_max_length": 1000000000000000019884624838656})"})
    expect(32, "config.json: max_position_embeddings", [&](TinyModel& tiny) {
      tiny.files.erase("sentence_bert_config.json");
      tiny.files["tokenizer_config.json"] = none;
    });
}

TEST(LengthLimit, MayBeLoweredByTheCallerOnly) {
  const Change none = [](TinyModel&) {};
  const ModelInfo info = info_of(none, with_max_length(7));
  EXPECT_EQ(info.max_length, 7);
  EXPECT_EQ(info.max_length_from, "options");
  EXPECT_EQ(info_of(none, with_max_length(16)).max_length, 16);
  expect_refused(ErrorCode::limit, {"max_length: 17 asked for, 16 allowed", "max_seq_length"}, none,
                 with_max_length(17));
  for (const int64_t bad : {int64_t{1}, int64_t{-1}, std::numeric_limits<int64_t>::min()})
    expect_refused(ErrorCode::invalid_argument, {"expected at least 2", std::to_string(bad)}, none,
                   with_max_length(bad));
}

TEST(LengthLimit, MustHaveRoomAndBeANumber) {
  for (const char* value : {"1", "0", "-3"})
    expect_refused(ErrorCode::format,
                   {"sentence_bert_config.json: max_seq_length", value, "special tokens"},
                   with_file("sentence_bert_config.json",
                             std::string(R"({"max_seq_length": )") + value + "}"));
  for (const char* value : {"\"16\"", "16.5", "NaN", "[16]"})
    expect_refused(ErrorCode::format, {"sentence_bert_config.json"},
                   with_file("sentence_bert_config.json",
                             std::string(R"({"max_seq_length": )") + value + "}"));
}

TEST(SentenceBertConfig, WhatChangesTheResultIsRefused) {
  const auto refused = [](const std::string& fields, const std::vector<std::string>& texts) {
    std::vector<std::string> all = {"sentence_bert_config.json"};
    all.insert(all.end(), texts.begin(), texts.end());
    expect_refused(ErrorCode::unsupported, all,
                   with_file("sentence_bert_config.json", "{" + fields + "}"));
  };
  refused(R"("transformer_task": "fill-mask")", {"transformer_task", "fill-mask"});
  refused(R"("module_output_name": "sentence_embedding")", {"module_output_name"});
  refused(R"("modality_config": {"text": {"method_output_name": "pooler_output"}})",
          {"modality_config.text.method_output_name", "pooler_output"});
}

TEST(SentenceBertConfig, LowercasingNeedsATokenizerThatDoesIt) {
  const Change lower =
      with_file("sentence_bert_config.json", R"({"max_seq_length": 16, "do_lower_case": true})");
  EXPECT_EQ(info_of(lower).max_length, 16);
  expect_refused(ErrorCode::unsupported, {"sentence_bert_config.json", "\"do_lower_case\""},
                 [&](TinyModel& tiny) {
                   lower(tiny);
                   tiny.files["tokenizer_config.json"] =
                       R"({"tokenizer_class": "BertTokenizer", "do_lower_case": false})";
                 });
}

TEST(Prompts, OneBeforeEveryTextIsRefused) {
  const auto prompts = [](const std::string& chosen) {
    return with_file(
        "config_sentence_transformers.json",
        R"({"prompts": {"query": "query: ", "none": ""}, "default_prompt_name": )" + chosen + "}");
  };
  for (const char* harmless : {"null", "\"none\"", "\"missing\""})
    EXPECT_EQ(info_of(prompts(harmless)).dim, 8);
  expect_refused(ErrorCode::unsupported,
                 {"config_sentence_transformers.json", "default_prompt_name", "\"query\""},
                 prompts("\"query\""));
}

TEST(Vocabulary, MustFitTheModel) {
  expect_refused(ErrorCode::format, {"config.json", "\"vocab_size\"", "30", "31"},
                 [](TinyModel& tiny) { tiny.files["vocab.txt"] += "z\n"; });
  // Fewer are fine: tables are often rounded up.
  EXPECT_EQ(info_of([](TinyModel& tiny) { tiny.files["vocab.txt"].resize(40); }).vocabulary, 30);
  expect_refused(ErrorCode::not_found, {"vocab"},
                 [](TinyModel& tiny) { tiny.files.erase("vocab.txt"); });
}

TEST(Directory, MustBeAModel) {
  const TempDir dir;
  expect_error(ErrorCode::not_found, "no such model directory",
               [&] { Embedder::open(dir.path("nothing")); });
  expect_error(ErrorCode::not_found, "no config.json", [&] { Embedder::open(dir.path()); });
  const std::string file = dir.write("file", "x");
  expect_error(ErrorCode::invalid_argument, "expected a model directory",
               [&] { Embedder::open(file); });
}

}  // namespace
}  // namespace headway
