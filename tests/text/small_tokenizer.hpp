// A tokenizer.json of a few tokens, with places to change.
#pragma once

#include <string>

#include "headway/tokenizer.hpp"
#include "tests/text/directory.hpp"

namespace headway {

// The ids are the positions: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, hello 5, un 6, ##aff 7,
// ##able 8, a 9, ##a 10, b 11, ##b 12, "," 13, [ 14, ] 15, e 16, ##e 17, mask 18.
inline const std::string kSmallVocab =
    R"({"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"[MASK]":4,"hello":5,"un":6,"##aff":7,)"
    R"("##able":8,"a":9,"##a":10,"b":11,"##b":12,",":13,"[":14,"]":15,"e":16,"##e":17,"mask":18})";
inline const std::string kSmallModel =
    R"({"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##",)"
    R"("max_input_chars_per_word":100,"vocab":)" +
    kSmallVocab + "}";
inline const std::string kSmallNormalizer =
    R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,)"
    R"("strip_accents":null,"lowercase":true})";
inline const std::string kSmallTemplate =
    R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[CLS]","type_id":0}},)"
    R"({"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[SEP]","type_id":0}}],"pair":[],)"
    R"("special_tokens":{"[CLS]":{"id":"[CLS]","ids":[2],"tokens":["[CLS]"]},)"
    R"("[SEP]":{"id":"[SEP]","ids":[3],"tokens":["[SEP]"]}}})";

struct SmallJson {
  std::string model = kSmallModel;
  std::string normalizer = kSmallNormalizer;
  std::string pre_tokenizer = R"({"type":"BertPreTokenizer"})";
  std::string post_processor = kSmallTemplate;
  std::string decoder = "null";
  std::string added_tokens =
      R"([{"id":2,"content":"[CLS]","special":true},{"id":3,"content":"[SEP]","special":true},)"
      R"({"id":4,"content":"[MASK]","special":true}])";

  std::string text() const {
    return R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":)" + added_tokens +
           R"(,"normalizer":)" + normalizer + R"(,"pre_tokenizer":)" + pre_tokenizer +
           R"(,"post_processor":)" + post_processor + R"(,"decoder":)" + decoder + R"(,"model":)" +
           model + "}";
  }
};

inline Tokenizer open_small(const SmallJson& json = {}) {
  const TestDirectory directory(Files{{"tokenizer.json", json.text()}});
  return Tokenizer::open(directory.path());
}

// Tokenizers of tests/golden/tokenizer/models (scripts/make_golden_steps.py).
inline constexpr const char* kTrainedModels[] = {
    "bpe-byte-level", "bpe-whole-words", "bpe-byte-fallback",     "bpe-suffix",
    "bpe-prefix",     "unigram",         "unigram-byte-fallback", "word-piece"};

inline Tokenizer open_trained(const std::string& name) {
  const auto path = golden_directory() / "tokenizer/models" / (name + ".json");
  const TestDirectory directory(Files{{"tokenizer.json", read_text(path)}});
  return Tokenizer::open(directory.path());
}

}  // namespace headway
