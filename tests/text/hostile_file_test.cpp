// Files that are well-formed, and made to cost time, memory or stack: each is refused, or costs
// little.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "engine/base/message.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/small_stack.hpp"
#include "tests/text/small_tokenizer.hpp"

namespace headway {
namespace {

std::string repeated(std::string_view piece, size_t times, std::string_view between = "") {
  std::string text;
  for (size_t i = 0; i < times; ++i) text.append(i > 0 ? between : "").append(piece);
  return text;
}

std::string sequence(const char* field, const std::string& step, size_t times) {
  return cat(R"({"type":"Sequence",")", field, R"(":[)", repeated(step, times, ","), "]}");
}

// Some milliseconds; anything quadratic would take minutes at least.
template <typename Work>
void expect_quick(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 20.0);
}

constexpr char kGrowth[] = "the steps of the tokenizer write more than 1000 bytes for each byte";

TEST(HostileFiles, ReplacementsThatMultiply) {
  SmallJson json;
  json.normalizer = sequence(
      "normalizers", R"({"type":"Replace","pattern":{"String":"a"},"content":"aaaaaaaaaa"})", 30);
  const Tokenizer tokenizer = open_small(json);
  EXPECT_EQ(tokenizer.encode("hello").ids, (std::vector<int32_t>{2, 5, 3}));
  for (const bool offsets : {false, true})
    expect_error(ErrorCode::limit, kGrowth, [&] { tokenizer.encode("a", {.offsets = offsets}); });
  json.added_tokens = R"([{"id":9,"content":"a","normalized":true}])";
  expect_error(ErrorCode::limit, kGrowth, [&] { open_small(json); });
}

TEST(HostileFiles, LongTextsBeforeEveryPiece) {
  SmallJson json;
  json.normalizer = cat(R"({"type":"Prepend","prepend":")", std::string(1'000'000, 'a'), "\"}");
  json.added_tokens = R"([{"id":11,"content":"b","normalized":false}])";
  const Tokenizer tokenizer = open_small(json);
  for (const bool offsets : {false, true})
    expect_error(ErrorCode::limit, kGrowth,
                 [&] { tokenizer.encode(repeated("ab", 100'000), {.offsets = offsets}); });
}

TEST(HostileFiles, PreTokenizersThatDouble) {
  SmallJson json;
  const std::string bytes = R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":false})";
  json.pre_tokenizer = sequence("pretokenizers", bytes, 32);
  const Tokenizer tokenizer = open_small(json);
  for (const bool offsets : {false, true})
    expect_error(ErrorCode::limit, kGrowth,
                 [&] { tokenizer.encode("\u4e2d", {.offsets = offsets}); });
  json.pre_tokenizer = sequence("pretokenizers", bytes, 33);
  expect_error(ErrorCode::limit, "\"pre_tokenizer.pretokenizers[32]\": more than 32 pre-tokenizers",
               [&] { open_small(json); });
}

TEST(HostileFiles, DecodersThatMultiply) {
  SmallJson json;
  json.decoder = sequence(
      "decoders", R"({"type":"Replace","pattern":{"String":"a"},"content":"aaaaaaaaaa"})", 30);
  const Tokenizer tokenizer = open_small(json);
  expect_error(ErrorCode::limit, kGrowth, [&] { tokenizer.decode(std::vector<int32_t>{9}); });
  EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{5}), "hello");
}

TEST(HostileFiles, TemplatesThatMultiply) {
  const auto refused = [](const std::string& processor) {
    SmallJson json;
    json.post_processor = processor;
    expect_quick([&] {
      expect_error(ErrorCode::limit, "more than 1000 special tokens or processors",
                   [&] { open_small(json); });
    });
  };
  const std::string bert = R"({"type":"BertProcessing","cls":["[CLS]",2],"sep":["[SEP]",3]})";
  refused(sequence("processors", bert, 100'000));
  refused(sequence("processors", R"({"type":"ByteLevel","trim_offsets":true})", 100'000));
  const std::string special = R"({"SpecialToken":{"id":"x","type_id":0}})";
  const std::string text = R"({"Sequence":{"id":"A","type_id":0}})";
  const auto made = [&](const std::string& single, const std::string& pair) {
    return cat(R"({"type":"TemplateProcessing","single":[)", single, R"(],"pair":[)", pair,
               R"(],"special_tokens":{"x":{"id":"x","ids":[)", repeated("2", 1000, ","),
               R"(],"tokens":[)", repeated("\"[CLS]\"", 1000, ","), "]}}}");
  };
  refused(made(cat(text, ",", repeated(special, 100'000, ",")), ""));
  refused(made(text, repeated(text, 100'000, ",")));
}

TEST(HostileFiles, RecursionStaysShallow) {
  SmallJson json;
  json.normalizer = R"({"type":"NFC"})";
  for (int i = 0; i < 30; ++i)
    json.normalizer = cat(R"({"type":"Sequence","normalizers":[)", json.normalizer, "]}");
  json.pre_tokenizer =
      sequence("pretokenizers",
               cat(R"({"type":"Split","behavior":"Isolated","invert":false,"pattern":{"Regex":")",
                   repeated("(?:a|c)?", 99), "b\"}}"),
               32);
  on_small_stack([&] {
    const Tokenizer tokenizer = open_small(json);
    const std::vector<int32_t> ids = tokenizer.encode("b").ids;
    EXPECT_EQ(ids, (std::vector<int32_t>{2, 11, 3}));
    EXPECT_EQ(tokenizer.encode("b", {.offsets = true}).ids, ids);
  });
}

TEST(HostileFiles, LongLiterals) {
  SmallJson json;
  const auto of_length = [&](size_t length) {
    json.pre_tokenizer =
        cat(R"({"type":"Split","behavior":"Isolated","invert":false,"pattern":{"String":")",
            std::string(length, 'a'), "\"}}");
    return open_small(json);
  };
  EXPECT_EQ(of_length(4096).encode(std::string(8192, 'a')).ids.size(), 4u);  // two unknown words
  expect_error(ErrorCode::unsupported, "a pattern of more than 4096 bytes",
               [&] { of_length(4097); });
}

TEST(HostileFiles, TokensThatAreTooLong) {
  const std::string longest(4096, 'a'), longer(4097, 'a');
  const auto model = [](const std::string& token) {
    return cat(R"({"type":"Unigram","unk_id":0,"vocab":[["[UNK]",0],[")", token, "\",-1]]}");
  };
  SmallJson json;
  json.post_processor = "null";
  json.added_tokens = "[]";
  json.model = model(longest);
  EXPECT_EQ(open_small(json).encode(longest).ids, (std::vector<int32_t>{1}));
  json.model = model(longer);
  expect_error(ErrorCode::limit, "\"model.vocab[1]\": a token of more than 4096 bytes",
               [&] { open_small(json); });
  json = SmallJson();
  json.added_tokens = cat(R"([{"id":19,"content":")", longer, "\"}]");
  expect_error(ErrorCode::limit, "\"added_tokens[0].content\": a token of more than 4096 bytes",
               [&] { open_small(json); });
}

TEST(HostileFiles, ManyAddedTokens) {
  constexpr int kCount = 200'000;
  std::string added, more, decoder;
  for (int i = 0; i < kCount; ++i) {
    added += cat(i ? "," : "", R"({"content":"<)", i, R"(>","id":)", 19 + i, "}");
    decoder += cat(i ? "," : "", "\"", 19 + i, R"(":{"content":"<)", i, ">\"}");
    more += cat(i ? "," : "", "\"<", i, ">\"");
  }
  SmallJson json;
  json.added_tokens = cat("[", added, "]");
  const TestDirectory directory(
      {{"tokenizer.json", json.text()},
       {"tokenizer_config.json", cat(R"({"added_tokens_decoder":{)", decoder,
                                     R"(},"additional_special_tokens":[)", more, "]}")}});
  expect_quick([&] {
    const Tokenizer tokenizer = Tokenizer::open(directory.path());
    for (int i = 0; i < kCount; ++i) ASSERT_EQ(tokenizer.token_to_id(cat("<", i, ">")), 19 + i);
  });
}

// "aa" comes last, and "aaa" at once when there is one: each merge puts off all others.
TEST(HostileFiles, MergesThatBringAboutEarlierOnes) {
  SmallJson json;
  json.post_processor = "null";
  json.added_tokens = "[]";
  json.pre_tokenizer = "null";
  json.model = R"({"type":"BPE","vocab":{"a":0,"b":1,"aa":2,"aab":3,"ba":4},)"
               R"("merges":["aa b","a a"]})";
  const Tokenizer tokenizer = open_small(json);
  expect_quick([&] {
    const std::vector<int32_t> ids = tokenizer.encode(repeated("aab", 1'000'000)).ids;
    EXPECT_EQ(ids, std::vector<int32_t>(1'000'000, 3));
  });
}

}  // namespace
}  // namespace headway
