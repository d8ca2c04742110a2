// The BERT normalizer of the reference (tokenizers 0.23.3, normalizers/bert.rs), one character at a
// time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/text/unicode.hpp"

namespace headway {

struct BertNormalizerOptions {
  bool clean_text = false;            // drop control characters, NUL and U+FFFD; whitespace is ' '
  bool handle_chinese_chars = false;  // put a space on both sides of an ideograph
  bool strip_accents = false;         // decompose (NFD), then drop nonspacing marks
  bool lowercase = false;
};

// The marks between two starters, which NFD orders by combining class. Those that strip_accents
// drops are never put here, so it is nearly always empty. Kept by the caller for its memory.
class MarkRun {
 public:
  bool empty() const { return marks_.empty(); }
  void clear() { marks_.clear(); }
  void add(char32_t c, uint8_t combining) { marks_.push_back(uint32_t{combining} << 24 | c); }

  // Hands the marks to `put(c)` in canonical order and forgets them. Linear: a run may be the whole
  // text.
  template <typename Put>
  void drain(Put&& put) {
    std::array<size_t, 256> at{};
    for (const uint32_t mark : marks_) ++at[mark >> 24];
    size_t begin = 0;
    for (size_t& slot : at) {
      const size_t count = slot;
      slot = begin;
      begin += count;
    }
    ordered_.resize(marks_.size());
    for (const uint32_t mark : marks_) ordered_[at[mark >> 24]++] = mark & 0xFFFFFF;
    for (const char32_t c : ordered_) put(c);
    marks_.clear();
  }

 private:
  std::vector<uint32_t> marks_;  // combining class << 24 | character
  std::vector<char32_t> ordered_;
};

// Feeds normalized characters to `sink.put(char32_t)`. A text is any number of push(), then
// finish(); a starter that does not come through push() (an ASCII character the caller handles)
// needs a finish() before it.
template <typename Sink>
class BertNormalizer {
 public:
  BertNormalizer(const BertNormalizerOptions& options, MarkRun& run, Sink& sink)
      : options_(options), run_(run), sink_(sink) {}

  void push(char32_t c) {
    const CharRecord& record = char_record(c);
    if (options_.clean_text) {
      // The control test comes first, so U+000B and U+0085 vanish instead of becoming spaces.
      if (record.flags & kCharControl) return;
      if (record.flags & kCharSpace) return starter(U' ');
    }
    if ((record.flags & kCharIdeograph) && options_.handle_chinese_chars) {
      starter(U' ');
      decomposed(c, record);
      starter(U' ');
    } else {
      decomposed(c, record);
    }
  }

  void finish() {
    if (!run_.empty()) run_.drain([this](char32_t c) { lowered(c, char_record(c)); });
  }

 private:
  void starter(char32_t c) {
    finish();
    sink_.put(c);
  }

  void decomposed(char32_t c, const CharRecord& record) {
    if (!options_.strip_accents) return lowered(c, record);
    if (!(record.flags & kCharDecomposes)) return ordered(c, record);
    char32_t scratch[3];
    for (const char32_t part : decompose(c, scratch)) ordered(part, char_record(part));
  }

  void ordered(char32_t c, const CharRecord& record) {
    if (record.combining == 0) finish();
    if (record.flags & kCharMark) return;
    if (record.combining != 0) return run_.add(c, record.combining);
    lowered(c, record);
  }

  void lowered(char32_t c, const CharRecord& record) {
    if (!options_.lowercase) return sink_.put(c);
    sink_.put(lowercase(c, record));
    if (c == kCapitalIWithDot) sink_.put(kDotAbove);
  }

  const BertNormalizerOptions options_;
  MarkRun& run_;
  Sink& sink_;
};

}  // namespace headway
