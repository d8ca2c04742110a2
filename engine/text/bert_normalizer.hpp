// The BERT normalizer of the reference (tokenizers 0.23.3, normalizers/bert.rs), one character at a
// time.
#pragma once

#include "engine/text/mark_run.hpp"
#include "engine/text/unicode.hpp"

namespace headway {

struct BertNormalizerOptions {
  bool clean_text = false;            // drop control characters, NUL and U+FFFD; whitespace is ' '
  bool handle_chinese_chars = false;  // put a space on both sides of an ideograph
  bool strip_accents = false;         // decompose (NFD), then drop nonspacing marks
  bool lowercase = false;
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
    if (!run_.empty()) run_.drain([this](char32_t c, uint32_t) { lowered(c, char_record(c)); });
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
