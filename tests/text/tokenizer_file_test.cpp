// Directories that are damaged, contradict themselves or ask for what is not supported.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/expect_error.hpp"
#include "tests/text/small_tokenizer.hpp"

namespace headway {
namespace {

void expect_refused(ErrorCode code, const std::string& text, const Files& files) {
  const TestDirectory directory(files);
  expect_error(code, text, [&] { Tokenizer::open(directory.path()); });
}

void expect_json_refused(ErrorCode code, const std::string& text,
                         const std::function<void(SmallJson&)>& change) {
  SmallJson json;
  change(json);
  expect_refused(code, text, {{"tokenizer.json", json.text()}});
}

std::string model_with(const std::string& vocab, const std::string& unknown = "[UNK]") {
  return R"({"type":"WordPiece","unk_token":")" + unknown +
         R"(","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":)" + vocab +
         "}";
}

// Replaces `from`, which must be there once, in `text`.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

constexpr ErrorCode kFormat = ErrorCode::format;
constexpr ErrorCode kUnsupported = ErrorCode::unsupported;

TEST(TokenizerFiles, NoDirectoryAndNoVocabulary) {
  expect_error(ErrorCode::not_found, "expected a model directory",
               [] { Tokenizer::open("no-such-directory"); });
  expect_refused(ErrorCode::not_found, "no tokenizer.json and no vocab.txt", {});
  expect_refused(kFormat, "tokenizer.json", {{"tokenizer.json", "{"}});
  expect_refused(kFormat, "tokenizer.json", {{"tokenizer.json", "[]"}});
  expect_refused(kFormat, "tokenizer_config.json: expected an object",
                 {{"tokenizer_config.json", "[]"}, {"vocab.txt", "[UNK]\n"}});
}

// A file is a tokenizer.json, whatever its name, and nothing beside it is looked at.
TEST(TokenizerFiles, AFileAlone) {
  const TestDirectory directory(
      {{"any.json", SmallJson().text()},
       {"vocab.txt", "[UNK]\na\n"},
       {"tokenizer_config.json", R"({"model_max_length":7,"truncation_side":"left"})"},
       {"config.json", "not JSON"}});
  const Tokenizer tokenizer = Tokenizer::open(directory.path() / "any.json");
  EXPECT_EQ(tokenizer.encode("a b", {.max_length = 3}).ids, (std::vector<int32_t>{2, 9, 3}));
  EXPECT_EQ(tokenizer.model_max_length(), std::nullopt);
  expect_error(kFormat, "vocab.txt", [&] { Tokenizer::open(directory.path() / "vocab.txt"); });
  expect_error(ErrorCode::not_found, "expected a model directory or a tokenizer.json",
               [&] { Tokenizer::open(directory.path() / "absent.json"); });
}

TEST(TokenizerFiles, Vocabularies) {
  expect_json_refused(kFormat, "\"model.vocab\": the vocabulary is empty",
                      [](SmallJson& j) { j.model = model_with("{}"); });
  expect_json_refused(kFormat, "tokenizer.json: field \"model.vocab.b\": id 0 belongs to \"[UNK]\"",
                      [](SmallJson& j) { j.model = model_with(R"({"[UNK]":0,"b":0})"); });
  expect_json_refused(kFormat, "tokenizer.json", [](SmallJson& j) {  // the same token twice
    j.model = model_with(R"({"[UNK]":0,"b":1,"b":2})");
  });
  for (const char* id : {"-1", "16777216", "1e3", "\"1\"", "99999999999999999999"})
    expect_json_refused(kFormat, "\"model.vocab.b\"", [&](SmallJson& j) {
      j.model = model_with(std::string(R"({"[UNK]":0,"b":)") + id + "}");
    });
  expect_json_refused(kFormat,
                      "\"model.unk_token\": \"<unk>\" is not in the vocabulary (model.vocab)",
                      [](SmallJson& j) { j.model = model_with(kSmallVocab, "<unk>"); });
  expect_json_refused(kFormat, "the special token \"[CLS]\" is not in the vocabulary with id 2",
                      [](SmallJson& j) {
                        j.model = model_with(R"({"[UNK]":0,"a":1,"b":2,"[SEP]":3})");
                        j.added_tokens = "[]";
                      });
  expect_json_refused(kFormat, "the special token \"[SEP]\" is not in the vocabulary with id 3",
                      [](SmallJson& j) {
                        j.model = model_with(R"({"[UNK]":0,"a":1,"[CLS]":2})");
                        j.added_tokens = "[]";
                      });
}

TEST(TokenizerFiles, VocabTxt) {
  const auto refused = [](const std::string& text, const std::string& vocab) {
    expect_refused(kFormat, text, {{"vocab.txt", vocab}});
  };
  refused("vocab.txt: the vocabulary is empty", "");
  refused("vocab.txt: the vocabulary is empty", "\n\n");
  refused("vocab.txt: line 4: the token \"a\" is on line 2 already", "[UNK]\na\nb\na\n");
  refused("vocab.txt: line 2: not UTF-8", "[UNK]\n\xC3\n");
  refused("vocab.txt: the unk_token \"[UNK]\" is not in the vocabulary", "a\n[CLS]\n[SEP]\n");
  refused("vocab.txt: the cls_token \"[CLS]\" is not in the vocabulary", "[UNK]\n[SEP]\n");
  refused("vocab.txt: the sep_token \"[SEP]\" is not in the vocabulary", "[UNK]\n[CLS]\n");
  expect_refused(kUnsupported, "tokenizer_class RobertaTokenizer without a tokenizer.json",
                 {{"vocab.txt", "[UNK]\n[CLS]\n[SEP]\n"},
                  {"tokenizer_config.json", R"({"tokenizer_class":"RobertaTokenizer"})"}});
  // Spaces at the end of a line and an empty line, as the reference reads them.
  const TestDirectory directory(Files{{"vocab.txt", "[UNK]\n[CLS] \r\n[SEP]\u00a0\n\nb"}});
  const Tokenizer tokenizer = Tokenizer::open(directory.path());
  EXPECT_EQ(tokenizer.encode("b").ids, (std::vector<int32_t>{1, 4, 2}));
  EXPECT_EQ(tokenizer.id_to_token(3), std::nullopt);
}

TEST(TokenizerFiles, UnsupportedComponentsAreNamed) {
  expect_json_refused(kUnsupported,
                      "\"model.type\": \"WordLevel\" is not supported; supported: WordPiece, BPE",
                      [](SmallJson& j) { j.model = R"({"type":"WordLevel","vocab":{}})"; });
  expect_json_refused(kFormat, "\"model.type\"",
                      [](SmallJson& j) { j.model = R"({"vocab":{},"merges":[]})"; });
  expect_json_refused(kUnsupported, "\"normalizer.type\": \"Other\"",
                      [](SmallJson& j) { j.normalizer = R"({"type":"Other"})"; });
  expect_json_refused(kUnsupported, "\"pre_tokenizer.type\": \"Other\"",
                      [](SmallJson& j) { j.pre_tokenizer = R"({"type":"Other"})"; });
  expect_json_refused(kUnsupported, "\"post_processor.type\": \"Other\"",
                      [](SmallJson& j) { j.post_processor = R"({"type":"Other"})"; });
  const std::string json = SmallJson().text();
  expect_refused(
      kUnsupported, "tokenizer_config.json: field \"split_special_tokens\"",
      {{"tokenizer.json", json}, {"tokenizer_config.json", R"({"split_special_tokens":true})"}});
}

TEST(TokenizerFiles, ClassesOfTransformers) {
  const std::string json = SmallJson().text();
  const auto refused = [&](ErrorCode code, const std::string& text, const std::string& config) {
    expect_refused(code, text, {{"tokenizer.json", json}, {"tokenizer_config.json", config}});
  };
  refused(kUnsupported, "tokenizer_class T5Tokenizer is not supported",
          R"({"tokenizer_class":"T5TokenizerFast"})");
  refused(kUnsupported, "add_bos_token and add_eos_token", R"({"add_bos_token":true})");
  refused(kFormat,
          "\"model.type\": expected BPE, which the tokenizer class RobertaTokenizer is for",
          R"({"tokenizer_class":"RobertaTokenizer"})");
  refused(kFormat, "\"model.type\": expected Unigram",
          R"({"tokenizer_class":"XLMRobertaTokenizer"})");
  refused(kFormat, "the cls_token \"<s>\" is not in the vocabulary",
          R"({"tokenizer_class":"MPNetTokenizer"})");
}

TEST(TokenizerFiles, ComponentsWithMissingOrWrongFields) {
  expect_json_refused(kFormat, "normalizer", [](SmallJson& j) {
    j.normalizer = R"({"type":"BertNormalizer","clean_text":true,"lowercase":true})";
  });
  expect_json_refused(kFormat, "\"normalizer.lowercase\"", [](SmallJson& j) {
    j.normalizer = changed(j.normalizer, R"("lowercase":true)", R"("lowercase":"yes")");
  });
  expect_json_refused(kFormat, "max_input_chars_per_word", [](SmallJson& j) {
    j.model =
        changed(j.model, R"("max_input_chars_per_word":100)", R"("max_input_chars_per_word":-1)");
  });
  expect_json_refused(kFormat, "\"post_processor.single\": expected sequence A", [](SmallJson& j) {
    j.post_processor = changed(j.post_processor, R"({"Sequence":{"id":"A","type_id":0}},)", "");
  });
  expect_json_refused(kFormat, "expected sequence A, once", [](SmallJson& j) {
    j.post_processor = changed(j.post_processor, R"({"id":"A",)", R"({"id":"B",)");
  });
  expect_json_refused(kUnsupported, "only type 0 is supported", [](SmallJson& j) {
    j.post_processor =
        changed(j.post_processor, R"({"id":"A","type_id":0})", R"({"id":"A","type_id":1})");
  });
  expect_json_refused(kFormat, "expected as many ids as tokens", [](SmallJson& j) {
    j.post_processor = changed(j.post_processor, R"("ids":[3])", R"("ids":[])");
  });
  expect_json_refused(kFormat, "post_processor.special_tokens", [](SmallJson& j) {
    j.post_processor = changed(j.post_processor, R"("[SEP]":{"id")", R"("<sep>":{"id")");
  });
  expect_json_refused(kFormat, "\"[SEP]\" is not in the vocabulary with id 9", [](SmallJson& j) {
    j.post_processor = R"({"type":"BertProcessing","cls":["[CLS]",2],"sep":["[SEP]",9]})";
  });
}

TEST(TokenizerFiles, ModelMaxLength) {
  const auto limit = [](const std::string& value) {
    const TestDirectory directory(
        {{"tokenizer.json", SmallJson().text()},
         {"tokenizer_config.json", R"({"model_max_length":)" + value + "}"}});
    return Tokenizer::open(directory.path()).model_max_length();
  };
  EXPECT_EQ(limit("512"), 512);
  EXPECT_EQ(limit("null"), std::nullopt);
  EXPECT_EQ(limit("1000000000000000019884624838656"), std::nullopt);
  EXPECT_EQ(limit("1e30"), std::nullopt);
  EXPECT_EQ(open_small().model_max_length(), std::nullopt);
  for (const char* value : {"0", "-5", "1.5", "\"512\""})
    expect_error(kFormat, "\"model_max_length\"", [&] { limit(value); });
}

TEST(TokenizerFiles, TruncationSide) {
  const auto ids = [](const std::string& truncation, const std::string& config) {
    const std::string json =
        changed(SmallJson().text(), R"("truncation":null)", R"("truncation":)" + truncation);
    const TestDirectory directory({{"tokenizer.json", json}, {"tokenizer_config.json", config}});
    return Tokenizer::open(directory.path()).encode("a b", {.max_length = 3}).ids;
  };
  using Ids = std::vector<int32_t>;
  const std::string left = R"({"direction":"Left","max_length":9,"strategy":"LongestFirst"})";
  EXPECT_EQ(ids("null", "{}"), (Ids{2, 9, 3}));
  EXPECT_EQ(ids("null", R"({"truncation_side":"left"})"), (Ids{2, 11, 3}));
  EXPECT_EQ(ids(left, "{}"), (Ids{2, 11, 3}));
  EXPECT_EQ(ids(left, R"({"truncation_side":"right"})"), (Ids{2, 9, 3}));
  EXPECT_EQ(ids(R"({"max_length":9})", "{}"), (Ids{2, 9, 3}));
  expect_error(kFormat, "\"truncation.direction\": expected \"Left\" or \"Right\"",
               [&] { ids(R"({"direction":"Up"})", "{}"); });
  expect_error(kFormat, "\"truncation_side\": expected \"left\" or \"right\"",
               [&] { ids("null", R"({"truncation_side":"middle"})"); });
}

TEST(TokenizerFiles, ConfigWithWrongFields) {
  const auto refused = [](const std::string& text, const std::string& config) {
    expect_refused(kFormat, text,
                   {{"tokenizer.json", SmallJson().text()}, {"tokenizer_config.json", config}});
  };
  refused("\"do_lower_case\"", R"({"do_lower_case":1})");
  refused("\"strip_accents\"", R"({"strip_accents":"no"})");
  refused("\"added_tokens_decoder.x\": expected an id",
          R"({"added_tokens_decoder":{"x":{"content":"<x>"}}})");
  refused("\"added_tokens_decoder.4.content\" is missing", R"({"added_tokens_decoder":{"4":{}}})");
  refused("\"mask_token\"", R"({"mask_token":7})");
  refused("added token \"<x>\": expected id 19, found 30",
          R"({"added_tokens_decoder":{"30":{"content":"<x>"}}})");
}

}  // namespace
}  // namespace headway
