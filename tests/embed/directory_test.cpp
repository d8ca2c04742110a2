// sentence-transformers directories: what is read from which file, and what is refused with which
// message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>

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
      ErrorCode::unsupported,
      {"modules.json", "\"WordWeights\"", "\"2_WordWeights\"", "known: Pooling"},
      with_file("modules.json", TinyModel::modules({"Transformer", "Pooling", "WordWeights"})));
  expect_refused(
      ErrorCode::unsupported, {"modules.json", "\"Transformer\""},
      with_file("modules.json", TinyModel::modules({"Transformer", "Pooling", "Transformer"})));
  for (const std::vector<std::string>& kinds :
       std::vector<std::vector<std::string>>{{}, {"Pooling"}, {"Pooling", "Transformer"}})
    expect_refused(ErrorCode::format,
                   {"modules.json", "expected a Transformer as the first module, found "},
                   with_file("modules.json", TinyModel::modules(kinds)));
  expect_refused(ErrorCode::format, {"modules.json", "expected a Pooling"},
                 with_file("modules.json", TinyModel::modules({"Transformer"})));
  for (const char* kind : {"Normalize", "Dropout"})
    expect_refused(ErrorCode::format, {"modules.json", kind, "needs a Pooling before it"},
                   with_file("modules.json", TinyModel::modules({"Transformer", kind})));
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
  EXPECT_FALSE(
      info_of(with_file("2_Normalize/config.json", R"({"module_input_name": "token_embeddings"})"))
          .normalize);
  expect_refused(ErrorCode::unsupported,
                 {"2_Normalize/config.json", "module_input_name", "\"cls\"", "known: "},
                 with_file("2_Normalize/config.json", R"({"module_input_name": "cls"})"));
  expect_refused(
      ErrorCode::unsupported,
      {"2_Normalize/config.json", "module_output_name", "\"token_embeddings\""},
      with_file("2_Normalize/config.json", R"({"module_output_name": "token_embeddings"})"));
}

// A Dense of 8 to 3 after the pooling.
struct DenseFiles {
  std::string config = R"("in_features": 8, "out_features": 3, "bias": true,
    "activation_function": "torch.nn.modules.activation.Tanh")";
  std::map<std::string, TinyTensor> tensors = {
      {"linear.weight", {{3, 8}, std::vector<float>(24, 0.1f)}},
      {"linear.bias", {{3}, std::vector<float>(3)}}};

  Change change() const {
    return [*this](TinyModel& tiny) {
      tiny.files["modules.json"] = TinyModel::modules({"Transformer", "Pooling", "Dense"});
      tiny.files["2_Dense/config.json"] = "{" + config + "}";
      TinyModel dense;
      dense.tensors = tensors;
      tiny.files["2_Dense/model.safetensors"] = dense.safetensors();
    };
  }
};

TEST(Dense, ChangesTheWidth) {
  const ModelInfo info = info_of(DenseFiles().change());
  EXPECT_EQ(info.dim, 3);
  EXPECT_EQ(info.parameters, info_of([](TinyModel&) {}).parameters + 27);
  EXPECT_FALSE(info.normalize);
}

TEST(Dense, IsRefusedWithFileAndField) {
  const auto refused = [](ErrorCode code, const std::string& from, const std::string& to,
                          const std::vector<std::string>& texts) {
    DenseFiles files;
    const size_t at = files.config.find(from);
    ASSERT_NE(at, std::string::npos);
    files.config.replace(at, from.size(), to);
    std::vector<std::string> all = {"2_Dense"};
    all.insert(all.end(), texts.begin(), texts.end());
    expect_refused(code, all, files.change());
  };
  refused(ErrorCode::format, "\"in_features\": 8", "\"in_features\": 9",
          {"config.json", "\"in_features\"", "expected 8", "found 9"});
  refused(ErrorCode::format, "\"out_features\": 3", "\"out_features\": 4",
          {"model.safetensors", "linear.weight", "[4, 8]", "[3, 8]"});
  for (const char* value : {"0", "-1", "\"3\"", "1e30"})
    refused(ErrorCode::format, "\"out_features\": 3", std::string("\"out_features\": ") + value,
            {"config.json", "out_features"});
  for (const char* name : {"torch.nn.modules.activation.Hardtanh", "my.Tanh", "Tanh", ""})
    refused(ErrorCode::unsupported, "torch.nn.modules.activation.Tanh", name,
            {"config.json", "\"activation_function\"", name, "known: Tanh"});
  refused(ErrorCode::format, "\"in_features\": 8,", "", {"config.json", "in_features"});
  refused(ErrorCode::not_found, "\"bias\": true", "\"bias\": true, \"use_residual\": true",
          {"model.safetensors", "residual.weight"});
  for (const char* name : {"linear.weight", "linear.bias"}) {
    DenseFiles files;
    files.tensors.erase(name);
    expect_refused(ErrorCode::not_found, {"2_Dense", name}, files.change());
  }
  expect_refused(ErrorCode::not_found, {"2_Dense", "model.safetensors"}, [](TinyModel& tiny) {
    DenseFiles().change()(tiny);
    tiny.files.erase("2_Dense/model.safetensors");
  });
}

TEST(LayerNormModule, IsRefusedWithFileAndField) {
  const auto change = [](const std::string& config, const std::string& name, int64_t width) {
    return [=](TinyModel& tiny) {
      tiny.files["modules.json"] = TinyModel::modules({"Transformer", "Pooling", "LayerNorm"});
      tiny.files["2_LayerNorm/config.json"] = config;
      TinyModel norm;
      norm.tensors = {{name, {{width}, std::vector<float>(static_cast<size_t>(width), 1.0f)}},
                      {"norm.bias", {{8}, std::vector<float>(8)}}};
      tiny.files["2_LayerNorm/model.safetensors"] = norm.safetensors();
    };
  };
  EXPECT_EQ(info_of(change(R"({"dimension": 8})", "norm.weight", 8)).dim, 8);
  expect_refused(ErrorCode::format, {"2_LayerNorm/config.json", "\"dimension\"", "expected 8"},
                 change(R"({"dimension": 9})", "norm.weight", 8));
  expect_refused(ErrorCode::format, {"2_LayerNorm/config.json", "dimension"},
                 change("{}", "norm.weight", 8));
  expect_refused(ErrorCode::format, {"2_LayerNorm/model.safetensors", "norm.weight", "[8]", "[7]"},
                 change(R"({"dimension": 8})", "norm.weight", 7));
  expect_refused(ErrorCode::not_found, {"2_LayerNorm/model.safetensors", "norm.weight"},
                 change(R"({"dimension": 8})", "weight", 8));
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

TEST(PoolingConfig, SeveralModesGoSideBySide) {
  const ModelInfo flags =
      info_of(with_pooling(R"("word_embedding_dimension": 8, "pooling_mode_mean_tokens": true,
                              "pooling_mode_max_tokens": true)"));
  EXPECT_EQ(flags.pooling, "max + mean");  // in the reference's order
  EXPECT_EQ(flags.dim, 16);
  const ModelInfo list = info_of(
      with_pooling(R"("embedding_dimension": 8, "pooling_mode": ["mean", "cls", "lasttoken"])"));
  EXPECT_EQ(list.pooling, "mean + cls + lasttoken");
  EXPECT_EQ(list.dim, 24);
}

TEST(PoolingConfig, IsTheMeanWhereNothingIsSaid) {
  for (const char* fields : {R"("embedding_dimension": 8)",
                             R"("embedding_dimension": 8, "pooling_mode_mean_tokens": false)",
                             R"("embedding_dimension": 8, "pooling_mode": null)"})
    EXPECT_EQ(info_of(with_pooling(fields)).pooling, "mean");
}

TEST(PoolingConfig, MustNameModesAndTheWidth) {
  expect_refused(ErrorCode::unsupported,
                 {"1_Pooling/config.json", "\"pooling_mode\"", "\"other\"", "known: cls, max"},
                 with_pooling(R"("embedding_dimension": 8, "pooling_mode": "other")"));
  expect_refused(ErrorCode::unsupported, {"1_Pooling/config.json", "pooling_mode[1]", "\"other\""},
                 with_pooling(R"("embedding_dimension": 8, "pooling_mode": ["cls", "other"])"));
  expect_refused(ErrorCode::format, {"1_Pooling/config.json", "pooling_mode"},
                 with_pooling(R"("embedding_dimension": 8, "pooling_mode": [])"));
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
    EXPECT_EQ(info.sources.at("max_length"), from);
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
  EXPECT_EQ(info.sources.at("max_length"), "options");
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
  refused(R"("processing_kwargs": {"text": {"padding": true, "max_length": 8}})",
          {"processing_kwargs.text.max_length"});
  refused(R"("processing_kwargs": {"common": {"truncation": false}})",
          {"processing_kwargs.common.truncation"});
  EXPECT_NO_THROW(info_of(with_file(
      "sentence_bert_config.json",
      R"({"processing_kwargs": {"text": {"truncation": true, "padding": "longest"}, "audio": {}}})")));
}

TEST(Prompts, AreThoseOfTheFile) {
  const auto prompts = [](const std::string& fields) {
    return with_file("config_sentence_transformers.json", "{" + fields + "}");
  };
  using Map = std::map<std::string, std::string>;
  EXPECT_EQ(info_of([](TinyModel&) {}).prompts, (Map{{"query", ""}, {"document", ""}}));
  const ModelInfo info = info_of(
      prompts(R"("prompts": {"query": "query: ", "none": null}, "default_prompt_name": "query")"));
  EXPECT_EQ(info.prompts, (Map{{"query", "query: "}, {"document", ""}, {"none", ""}}));
  EXPECT_EQ(info.default_prompt_name, "query");
  EXPECT_EQ(info_of(prompts(R"("truncate_dim": 5)")).dim, 5);
  EXPECT_EQ(info_of(prompts(R"("truncate_dim": 500)")).dim, 8);
  expect_refused(ErrorCode::format,
                 {"config_sentence_transformers.json", "default_prompt_name", "\"missing\""},
                 prompts(R"("default_prompt_name": "missing")"));
  for (const char* fields :
       {R"("prompts": 3)", R"("prompts": {"query": 3})", R"("default_prompt_name": 3)",
        R"("truncate_dim": 0)", R"("truncate_dim": "8")"})
    expect_refused(ErrorCode::format, {"config_sentence_transformers.json"}, prompts(fields));
}

TEST(Prompts, AreChosenByTheCaller) {
  const TempDir dir;
  TinyModel tiny;
  tiny.files["config_sentence_transformers.json"] =
      R"({"prompts": {"query": "q r ", "more": "s "}, "default_prompt_name": "query"})";
  tiny.write(dir);
  const Embedder embedder = Embedder::open(dir.path());
  const std::vector<std::string_view> text = {"a b"}, prompted = {"q r a b"}, other = {"s a b"};
  const auto vectors = [&](const std::vector<std::string_view>& texts, const EmbedOptions& chosen) {
    return embedder.embed(std::span(texts), {}, chosen).values;
  };
  const std::vector<float> plain = vectors(text, {.prompt = ""});
  EXPECT_EQ(vectors(text, {}), vectors(prompted, {.prompt = ""}));
  EXPECT_EQ(vectors(text, {.prompt = "s "}), vectors(other, {.prompt = ""}));
  EXPECT_EQ(vectors(text, {.prompt_name = "more"}), vectors(other, {.prompt = ""}));
  EXPECT_EQ(vectors(text, {.prompt_name = "document"}), plain);
  EXPECT_NE(vectors(text, {}), plain);
  expect_error(ErrorCode::invalid_argument,
               "prompt_name: expected one of document, more, query, fo",
               [&] { vectors(text, {.prompt_name = "other"}); });
  expect_error(ErrorCode::invalid_argument, "do not go together",
               [&] { vectors(text, {.prompt = "", .prompt_name = "query"}); });
  for (const int64_t dimensions : {-1, 9})
    expect_error(ErrorCode::invalid_argument, "dimensions: expected 1 to 8, found ",
                 [&] { vectors(text, {.dimensions = dimensions}); });
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
