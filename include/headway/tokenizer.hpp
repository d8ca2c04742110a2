// Texts to token ids, as the model's own tokenizer files say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headway/export.h"

namespace headway {

// Which text of a pair is cut when both together are too long.
enum class TruncationStrategy {
  longest_first,  // the longer one until both are equal, then both; an odd id goes to the longer
  only_first,
  only_second,
};

struct TokenizerOptions {
  // Lowercase texts before all else, where nothing that the files say does (`do_lower_case` of
  // sentence-transformers).
  bool lower_case = false;
  // Tokens of the vocabulary that become special ones: found in texts as they stand there, before
  // all else. Error(invalid_argument) for one that the vocabulary does not have.
  std::vector<std::string> special_tokens = {};
};

// What was found in a directory.
struct TokenizerFacts {
  std::string model;   // "WordPiece", "BPE" or "Unigram"
  std::string source;  // the files, and the field that chose among them
};

// From which end of a text ids are dropped.
enum class TruncationSide { right, left };

struct EncodeOptions {
  static constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

  // Ids at most, special tokens included; more of a text than that is dropped.
  size_t max_length = kNoLimit;
  // Put the model's special tokens around the text ([CLS] text [SEP]).
  bool add_special_tokens = true;
  // Treat special tokens that stand in the text ("[SEP]") as text. Off, as in the reference: they
  // become their ids.
  bool encode_special_tokens = false;
  TruncationStrategy strategy = TruncationStrategy::longest_first;
  // Nothing: what the files say, the right for nearly all.
  std::optional<TruncationSide> side = std::nullopt;
  // Say where tokens come from: encode() and encode_pair() fill Encoding::offsets, which makes them
  // several times slower.
  bool offsets = false;
};

// Where a token comes from.
struct TokenOffsets {
  // Bytes of the text, as the caller gave it (the reference's own are its characters). Tokens may
  // share bytes: those of one character, or of characters that were normalized together.
  size_t begin = 0;
  size_t end = 0;
  int32_t text = -1;  // 0: the first text, 1: the second; -1: a special token around them
};

struct Encoding {
  std::vector<int32_t> ids;
  // Of a pair, one for each id: the segment that models of BERT's kind take it for. Empty for a
  // single text, whose types are all 0.
  std::vector<int32_t> type_ids;
  std::vector<TokenOffsets> offsets;  // one for each id, where asked for
  bool truncated = false;             // there was more than max_length
};

// The ids are those of the Rust library `tokenizers` (0.23.3), after what transformers does to it
// when it opens the same directory. Of tokenizer.json:
//   models          WordPiece, BPE (also byte-level and with byte fallback; no dropout), Unigram
//   normalizers     BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace,
//                   Prepend, Nmt, Precompiled, ByteLevel
//   pre-tokenizers  BertPreTokenizer, Whitespace, WhitespaceSplit, CharDelimiterSplit, FixedLength,
//                   UnicodeScripts, Punctuation, Digits, Split, ByteLevel, Metaspace
//   post-processors TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel
// each also in a Sequence; added tokens with all their flags. Regular expressions know what the
// published ones use: classes, \p{..}, \s, \d, (?:..), (?i:..), look-ahead, greedy and possessive
// repetition. Anything else is Error(unsupported) by name.
//
// The `padding` saved in tokenizer.json is ignored, and of its `truncation` all but the side, which
// tokenizer_config.json's truncation_side overrides: limits come from the caller.
// Invalid UTF-8 in a text is replaced with U+FFFD, one for each maximal subpart, as Python's
// bytes.decode("utf-8", "replace") does; the BERT normalizer's clean_text then drops U+FFFD.
//
// Immutable; any thread may use it, copies share everything. Encoding takes time linear in the
// text, and stops at the length limit if that is not on the left.
class HEADWAY_API Tokenizer {
 public:
  // Of a directory reads tokenizer.json, or vocab.txt when there is none, and from
  // tokenizer_config.json, special_tokens_map.json, added_tokens.json and config.json what
  // transformers reads there. A file is read as a tokenizer.json, and nothing beside it, as the
  // library `tokenizers` does. Error(not_found) without a vocabulary; Error(format) or
  // Error(unsupported), naming file and field, for files that are damaged, contradict themselves or
  // ask for what is not supported.
  //
  // For a directory whose tokenizer class (`tokenizer_class`, or by config.json's `model_type`) is
  // one of these, everything but the vocabulary is made anew, as in transformers:
  //   BertTokenizer and its kin, MPNetTokenizer: from do_lower_case (default true), strip_accents
  //     (default null) and tokenize_chinese_chars (default true) of tokenizer_config.json
  //   RobertaTokenizer, XLMRobertaTokenizer, CamembertTokenizer, AlbertTokenizer: from
  //     add_prefix_space (default false, else true); the first also from trim_offsets (default
  //     true), the last from do_lower_case (default true) and keep_accents (default false)
  // Other classes that do so are Error(unsupported); PreTrainedTokenizerFast takes the file as it
  // is.
  static Tokenizer open(const std::filesystem::path& path, const TokenizerOptions& options = {});

  // Error(invalid_argument) when max_length is smaller than the number of special tokens, when
  // `strategy` forbids what would have to be cut, and for a character that a Unigram model without
  // an unknown token cannot write. Error(limit) when a regular expression of the file takes more
  // than linear time on the text, or its steps write more than 1000 bytes for each byte of it, as
  // none of the published ones does.
  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  // The same, appended to `ids`; returns whether the text was truncated. Allocates nothing once
  // `ids` and the calling thread's workspace have grown to their need.
  bool encode_append(std::string_view text, const EncodeOptions& options,
                     std::vector<int32_t>& ids) const;

  // Two texts as one sequence, as cross-encoders read them: [CLS] first [SEP] second [SEP].
  // Error(unsupported) when the file's template for pairs does not hold each text once; errors of
  // encode() besides.
  Encoding encode_pair(std::string_view first, std::string_view second,
                       const EncodeOptions& options = {}) const;
  // The same, appended to `ids` and `type_ids`; as encode_append.
  bool encode_pair_append(std::string_view first, std::string_view second,
                          const EncodeOptions& options, std::vector<int32_t>& ids,
                          std::vector<int32_t>& type_ids) const;

  // All of a text that is longer than max_length, in windows: the first is what encode() gives,
  // each further one shares `stride` ids with the one before it. The reference calls them
  // `overflowing`. As there, where special tokens leave no room at all, the second window is the
  // whole text. Error(invalid_argument) when `stride` is not below the ids of a text that a window
  // has room for; errors of encode() besides. Memory grows with all windows together.
  std::vector<Encoding> encode_windows(std::string_view text, size_t stride,
                                       const EncodeOptions& options) const;
  // The same for pairs. `strategy` says which texts are cut, and so have windows: if both, each
  // window of the one meets each of the other.
  std::vector<Encoding> encode_pair_windows(std::string_view first, std::string_view second,
                                            size_t stride, const EncodeOptions& options) const;

  // The text of `ids`: their tokens, put together as the `decoder` of tokenizer.json says
  // (WordPiece, BPEDecoder, ByteLevel, Metaspace, ByteFallback, Fuse, Strip, Replace, CTC,
  // Sequence), or with spaces between them when it says nothing. Ids without a token are left out,
  // and special added tokens where asked. transformers' clean_up_tokenization_spaces is not
  // applied.
  std::string decode(std::span<const int32_t> ids, bool skip_special_tokens = true) const;

  // The text of tokens that need not be of the vocabulary, put together in the same way.
  std::string join(std::vector<std::string> tokens) const;

  // How many special tokens encode() puts around a text, and encode_pair() around two.
  size_t special_tokens() const;
  size_t pair_special_tokens() const;
  // One more than the greatest id: the rows an embedding table needs.
  int32_t vocab_size() const;
  // `model_max_length` of tokenizer_config.json; nothing when it is missing or means "no limit"
  // (written as 1e30 or so).
  std::optional<int64_t> model_max_length() const;
  // Whether encode() puts a special token after a text.
  bool ends_with_special_token() const;
  const TokenizerFacts& facts() const;
  // Whether upper and lower case of a text give the same ids.
  bool lowercases() const;

  // Whether a prefix tells the tokens that go on with a word ("##ing").
  bool marks_subwords() const;

  // Added tokens included. Nothing for an unknown token or an id without one.
  std::optional<int32_t> token_to_id(std::string_view token) const;
  // The view lives as long as the tokenizer or a copy of it.
  std::optional<std::string_view> id_to_token(int32_t id) const;
  // The token that the files name for a role, "mask_token" or "eos_token" for example, or that the
  // tokenizer's class has for it. Nothing when there is none.
  std::optional<int32_t> special_token(std::string_view role) const;

 private:
  struct State;
  explicit Tokenizer(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace headway
