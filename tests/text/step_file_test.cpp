// Steps and models of tokenizer.json that are damaged, contradict themselves or are not supported.
#include <gtest/gtest.h>

#include "engine/base/message.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/text/small_tokenizer.hpp"

namespace headway {
namespace {

constexpr ErrorCode kFormat = ErrorCode::format;
constexpr ErrorCode kUnsupported = ErrorCode::unsupported;

void expect_normalizer(ErrorCode code, const std::string& message, const std::string& normalizer) {
  SmallJson json;
  json.normalizer = normalizer;
  expect_error(code, message, [&] { open_small(json); });
}

void expect_pre_tokenizer(ErrorCode code, const std::string& message, const std::string& step) {
  SmallJson json;
  json.pre_tokenizer = step;
  expect_error(code, message, [&] { open_small(json); });
}

void expect_model(ErrorCode code, const std::string& message, const std::string& model) {
  SmallJson json;
  json.model = model;
  json.post_processor = "null";
  json.added_tokens = "[]";
  expect_error(code, message, [&] { open_small(json); });
}

TEST(StepFiles, Normalizers) {
  expect_normalizer(kUnsupported, "\"normalizer.normalizers[1].type\": \"Other\" is not supported",
                    R"({"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Other"}]})");
  expect_normalizer(kFormat, "\"normalizer.strip_right\"", R"({"type":"Strip","strip_left":true})");
  expect_normalizer(kFormat, "\"normalizer.pattern.String\": expected a text, found nothing",
                    R"({"type":"Replace","pattern":{"String":""},"content":""})");
  expect_normalizer(kUnsupported, "field \"normalizer.pattern.Regex\": pattern \"^a\"",
                    R"({"type":"Replace","pattern":{"Regex":"^a"},"content":""})");
}

TEST(StepFiles, Charsmaps) {
  const auto refused = [](const std::string& message, const std::string& map) {
    expect_normalizer(kFormat, message,
                      cat(R"({"type":"Precompiled","precompiled_charsmap":")", map, "\"}"));
  };
  refused("\"normalizer.precompiled_charsmap\": expected base64", "AAA");
  refused("\"normalizer.precompiled_charsmap\": expected base64", "AA!A");
  refused("the charsmap is cut short", "");
  refused("the charsmap is cut short", "AAA=");
  refused("expected a charsmap with a trie of 8 bytes, found 4 bytes", "CAAAAAAAAAA=");
  refused("expected a charsmap with a trie of 0 bytes", "AAAAAAAAAAA=");
  // One unit, which says that it has a value, and no replacements.
  refused("unit 0 of the charsmap leads nowhere", "BAAAAAABAAA=");
  // A replacement without an end.
  refused("the replacements of the charsmap are damaged", "BAAAAAAAAABh");
}

TEST(StepFiles, PreTokenizers) {
  expect_pre_tokenizer(kUnsupported,
                       "\"pre_tokenizer.pretokenizers[0].type\": \"Other\" is not supported",
                       R"({"type":"Sequence","pretokenizers":[{"type":"Other","length":5}]})");
  expect_pre_tokenizer(kFormat, "\"pre_tokenizer.length\"", R"({"type":"FixedLength","length":0})");
  expect_pre_tokenizer(kFormat, "\"pre_tokenizer.delimiter\": expected one character",
                       R"({"type":"CharDelimiterSplit","delimiter":"ab"})");
  expect_pre_tokenizer(kFormat, "\"pre_tokenizer.behavior\": expected Removed, Isolated",
                       R"({"type":"Punctuation","behavior":"Other"})");
  expect_pre_tokenizer(kFormat, "\"pre_tokenizer.replacement\": expected one character",
                       R"({"type":"Metaspace","replacement":"ab"})");
  expect_pre_tokenizer(kFormat, "\"pre_tokenizer.prepend_scheme\": expected always, never or first",
                       R"({"type":"Metaspace","replacement":"_","prepend_scheme":"last"})");
  expect_pre_tokenizer(
      kFormat, "\"pre_tokenizer.add_prefix_space\": contradicts prepend_scheme",
      R"({"type":"Metaspace","replacement":"_","prepend_scheme":"always","add_prefix_space":false})");
  expect_pre_tokenizer(kUnsupported, "\"pre_tokenizer.pretokenizers[1].prepend_scheme\": \"first\"",
                       R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},)"
                       R"({"type":"Metaspace","replacement":"_","prepend_scheme":"first"}]})");
}

TEST(StepFiles, PostProcessors) {
  const auto refused = [](ErrorCode code, const std::string& message,
                          const std::string& processor) {
    SmallJson json;
    json.post_processor = processor;
    expect_error(code, message, [&] { open_small(json); });
  };
  const std::string bert = R"({"type":"BertProcessing","cls":["[CLS]",2],"sep":["[SEP]",3]})";
  refused(kUnsupported,
          "\"post_processor.processors[1].type\": \"BertProcessing\" is not supported",
          cat(R"({"type":"Sequence","processors":[)", kSmallTemplate, ",", bert, "]}"));
  refused(kFormat, "\"post_processor.pair[0].Sequence\": expected sequence A or B",
          R"({"type":"TemplateProcessing","single":[{"Sequence":{"id":"A","type_id":0}}],)"
          R"("pair":[{"Sequence":{"id":"C","type_id":0}}],"special_tokens":{}})");
  refused(kFormat, "\"post_processor.pair\" is missing",
          R"({"type":"TemplateProcessing","single":[{"Sequence":{"id":"A","type_id":0}}],)"
          R"("special_tokens":{}})");
}

TEST(StepFiles, Decoders) {
  const auto refused = [](ErrorCode code, const std::string& message, const std::string& decoder) {
    SmallJson json;
    json.decoder = decoder;
    expect_error(code, message, [&] { open_small(json); });
  };
  refused(kUnsupported,
          "\"decoder.decoders[1].type\": \"Other\" is not supported; supported: WordPi",
          R"({"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"Other"}]})");
  refused(kFormat, "\"decoder.prefix\"", R"({"type":"WordPiece","cleanup":true})");
  refused(kFormat, "\"decoder.suffix\": expected a text", R"({"type":"BPEDecoder","suffix":""})");
  refused(kFormat, "\"decoder.content\": expected one character",
          R"({"type":"Strip","content":"ab","start":1,"stop":0})");
  refused(kFormat, "\"decoder.stop\"", R"({"type":"Strip","content":"a","start":1,"stop":-1})");
}

TEST(StepFiles, BytePairModels) {
  const auto model = [](const std::string& rest, const std::string& merges = "[]") {
    return cat(R"({"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":)", merges, rest, "}");
  };
  expect_model(kFormat, "\"model.unk_token\": \"<unk>\" is not in the vocabulary",
               model(R"(,"unk_token":"<unk>")"));
  expect_model(kUnsupported, "\"model.dropout\": dropout is not supported",
               model(R"(,"dropout":0.1)"));
  expect_model(kFormat, "\"model.merges[0]\": \"c\" is not in the vocabulary",
               model("", R"(["a c"])"));
  expect_model(kFormat, "\"model.merges[1]\": \"ba\" is not in the vocabulary",
               model("", R"([["a","b"],["b","a"]])"));
  expect_model(kFormat, "\"model.merges[0]\": expected two tokens", model("", R"(["ab"])"));
  expect_model(kFormat, "\"model.merges[0]\": expected two tokens", model("", R"(["a b a"])"));
  expect_model(kFormat, "\"model.merges[0]\": expected two tokens", model("", R"([["a"]])"));
  expect_model(kFormat, "\"model.merges[0]\": expected \"##\" before the second",
               model(R"(,"continuing_subword_prefix":"##")", R"(["a b"])"));
  expect_model(kFormat, "\"model.vocab\": the vocabulary is empty",
               R"({"type":"BPE","vocab":{},"merges":[]})");
}

TEST(StepFiles, UnigramModels) {
  const auto model = [](const std::string& vocab, const std::string& unknown) {
    return cat(R"({"type":"Unigram","vocab":)", vocab, R"(,"unk_id":)", unknown, "}");
  };
  expect_model(kFormat, "\"model.vocab\": the vocabulary is empty", model("[]", "null"));
  expect_model(kFormat, "\"model.vocab[1]\": the token \"a\" is there twice",
               model(R"([["a",-1],["a",-2]])", "0"));
  expect_model(kFormat, "\"model.vocab[0]\": expected a token, found nothing",
               model(R"([["",-1]])", "0"));
  expect_model(kFormat, "\"model.vocab[0]\": expected a token and its score",
               model(R"([["a"]])", "0"));
  expect_model(kFormat, "\"model.unk_id\"", model(R"([["a",-1]])", "1"));
}

TEST(StepFiles, ACharacterThatAUnigramModelCannotWrite) {
  SmallJson json;
  json.model = R"({"type":"Unigram","vocab":[["a",-1]],"unk_id":null})";
  json.post_processor = "null";
  json.added_tokens = "[]";
  const Tokenizer tokenizer = open_small(json);
  EXPECT_EQ(tokenizer.encode("a a").ids, (std::vector<int32_t>{0, 0}));
  expect_error(ErrorCode::invalid_argument, "no token for \"b\" and no unknown token",
               [&] { tokenizer.encode("ab"); });
}

}  // namespace
}  // namespace headway
