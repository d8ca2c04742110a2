// The normalizers of tokenizer.json: each turns a whole text into another one.
//
// Behaviour of the Rust library `tokenizers` 0.23.3 (normalizers/). Each has
//   void apply(std::string_view text, NormalizerMemory& memory, std::string& out) const;
// which appends to `out` what becomes of `text` (valid UTF-8), in linear time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/text/bert_normalizer.hpp"
#include "engine/text/charsmap.hpp"
#include "engine/text/mark_run.hpp"
#include "engine/text/pattern.hpp"
#include "engine/text/work_budget.hpp"

namespace headway {

// Working memory of one thread.
struct NormalizerMemory {
  MarkRun marks;
  std::vector<char32_t> pending;
  WorkBudget
      budget;  // of the text that is being encoded; Replace, Prepend and Charsmap take from it
};

// BertNormalizer where the fused pass of BertEncoder does not apply.
struct BertNormalization {
  BertNormalizerOptions options;
  void apply(std::string_view text, NormalizerMemory& memory, std::string& out) const;
};

// NFD, NFKD, NFC and NFKC (Unicode Standard Annex 15).
struct UnicodeForm {
  bool compatibility = false;
  bool composed = false;
  void apply(std::string_view text, NormalizerMemory& memory, std::string& out) const;
};

struct Lowercase {
  void apply(std::string_view text, NormalizerMemory& memory, std::string& out) const;
};

// Drops combining marks; accents go only where they are characters of their own (after NFD).
struct StripAccents {
  void apply(std::string_view text, NormalizerMemory& memory, std::string& out) const;
};

// Drops whitespace at the ends.
struct Strip {
  bool left = true;
  bool right = true;
  std::string_view strip(std::string_view text) const;
  void apply(std::string_view text, NormalizerMemory& memory, std::string& out) const;
};

// Writes `content` in place of every match.
struct Replace {
  Pattern pattern;
  std::string content;
  void apply(std::string_view text, NormalizerMemory& memory, std::string& out) const;
};

// Writes `content` before a text that is not empty.
struct Prepend {
  std::string content;
  void apply(std::string_view text, NormalizerMemory& memory, std::string& out) const;
};

// Drops some control characters; other unusual whitespace becomes ' '.
struct Nmt {
  // Nothing for a character that is dropped.
  static std::optional<char32_t> map(char32_t c);
  void apply(std::string_view text, NormalizerMemory& memory, std::string& out) const;
};

// Writes each byte as the character that GPT-2 gave it (byte_alphabet.hpp).
struct ByteLevelNormalization {
  void apply(std::string_view text, NormalizerMemory& memory, std::string& out) const;
};

using Normalizer = std::variant<BertNormalization, UnicodeForm, Lowercase, StripAccents, Strip,
                                Replace, Prepend, Nmt, ByteLevelNormalization, Charsmap>;

// Whether some of these make lower case of upper case.
bool lowercases(const std::vector<Normalizer>& normalizers);

}  // namespace headway
