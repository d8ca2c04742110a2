// The pre-tokenizers of tokenizer.json: each cuts a piece of text into smaller ones.
//
// Behaviour of the Rust library `tokenizers` 0.23.3 (pre_tokenizers/). Each has
//   bool split(const PreTokenizerInput& input, PieceSink sink) const;
// which hands on the pieces of `input.text` (valid UTF-8, not empty) from left to right, as they
// are or rewritten, none of them empty; false as soon as `sink` says false, which means that
// nothing behind matters. They cost time linear in the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/function_ref.hpp"
#include "engine/text/pattern.hpp"

namespace headway {

using PieceSink = FunctionRef<bool(std::string_view)>;

struct PreTokenizerInput {
  std::string_view text;
  bool starts_text;     // nothing of the caller's text stands before it
  std::string& buffer;  // working memory; pieces may lie in it
};

// What becomes of the delimiters that a pattern finds (SplitDelimiterBehavior).
enum class Delimiters { removed, isolated, merged_with_previous, merged_with_next, contiguous };

// BertPreTokenizer where the fused pass of BertEncoder does not apply.
struct BertWordSplit {
  bool split(const PreTokenizerInput& input, PieceSink sink) const;
};

// Runs of word characters and runs of what is neither word nor space.
struct WordSplit {
  bool split(const PreTokenizerInput& input, PieceSink sink) const;
};

struct WhitespaceSplit {
  bool split(const PreTokenizerInput& input, PieceSink sink) const;
};

struct CharSplit {  // CharDelimiterSplit
  char32_t delimiter;
  bool split(const PreTokenizerInput& input, PieceSink sink) const;
};

// Pieces of so many characters; the last may have less.
struct FixedLengthSplit {
  size_t length;
  bool split(const PreTokenizerInput& input, PieceSink sink) const;
};

// Runs of one script; what has none stays with the run before, and vanishes at the start.
struct ScriptSplit {
  bool split(const PreTokenizerInput& input, PieceSink sink) const;
};

struct PunctuationSplit {
  Delimiters delimiters = Delimiters::isolated;
  bool split(const PreTokenizerInput& input, PieceSink sink) const;
};

struct DigitSplit {
  bool individual = false;
  bool split(const PreTokenizerInput& input, PieceSink sink) const;
};

struct PatternSplit {
  Pattern pattern;
  Delimiters delimiters = Delimiters::removed;
  bool invert = false;  // what the pattern does not match is the delimiter
  bool split(const PreTokenizerInput& input, PieceSink sink) const;
};

// Cuts as GPT-2 does (unless pattern is empty), then writes bytes as characters
// (byte_alphabet.hpp).
struct ByteLevelSplit {
  bool add_prefix_space = true;
  std::optional<Pattern> pattern;
  bool split(const PreTokenizerInput& input, PieceSink sink) const;
};

// Writes `replacement` for each space and, where `prepend` says so, before the text; cuts before
// each `replacement`.
struct Metaspace {
  enum class Prepend { never, first, always };
  std::string replacement;  // one character
  Prepend prepend = Prepend::always;
  bool cut = true;
  bool split(const PreTokenizerInput& input, PieceSink sink) const;
  // The two steps of it: whether `replacement` comes before the text, and the cutting of a text
  // whose spaces have been replaced.
  bool prepends(std::string_view text, bool starts_text) const;
  bool split_rewritten(std::string_view text, PieceSink sink) const;
};

using PreTokenizer = std::variant<BertWordSplit, WordSplit, WhitespaceSplit, CharSplit,
                                  FixedLengthSplit, ScriptSplit, PunctuationSplit, DigitSplit,
                                  PatternSplit, ByteLevelSplit, Metaspace>;

// Each match of the pattern is a part, and so is what lies between two; with `invert` it is the
// other parts that are delimiters.
bool split_pattern(const Pattern& pattern, std::string_view text, Delimiters delimiters,
                   bool invert, PieceSink sink);

// The pattern of ByteLevel (GPT-2's encoder.py).
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

}  // namespace headway
