// One pass over the text each.
#include "engine/text/pre_tokenizers.hpp"

#include <utility>

#include "engine/text/byte_alphabet.hpp"
#include "engine/text/script.hpp"
#include "engine/text/unicode.hpp"

namespace headway {
namespace {

// Puts the parts of a text, which are delimiters or not, together to pieces.
class PieceMaker {
 public:
  PieceMaker(std::string_view text, Delimiters delimiters, PieceSink sink)
      : text_(text), delimiters_(delimiters), sink_(sink) {}

  // The part from the end of the one before to `end`; false when the sink has enough.
  bool add(size_t end, bool delimiter) {
    const size_t begin = std::exchange(part_begin_, end);
    if (begin == end) return true;
    const bool after_delimiter = std::exchange(delimiter_, delimiter);
    switch (delimiters_) {
      case Delimiters::removed:
        piece_begin_ = delimiter ? end : begin;
        return delimiter || emit(end);
      case Delimiters::isolated:
        return emit(end);
      case Delimiters::contiguous:
        return delimiter == after_delimiter || emit(begin);
      case Delimiters::merged_with_previous:
        return (delimiter && !after_delimiter) || emit(begin);
      case Delimiters::merged_with_next:
        return (after_delimiter && !delimiter) || emit(begin);
    }
    return true;
  }

  // The text has ended.
  bool finish() { return emit(part_begin_); }

 private:
  // The piece that ends at `end`.
  bool emit(size_t end) {
    const size_t begin = std::exchange(piece_begin_, end);
    return begin == end || sink_(text_.substr(begin, end - begin));
  }

  std::string_view text_;
  Delimiters delimiters_;
  PieceSink sink_;
  size_t piece_begin_ = 0, part_begin_ = 0;
  bool delimiter_ = false;  // whether the part before was one
};

// Each character that `is_delimiter` is a part of its own.
template <typename Predicate>
bool split_chars(std::string_view text, Delimiters delimiters, PieceSink sink,
                 Predicate&& is_delimiter) {
  PieceMaker maker(text, delimiters, sink);
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  for (const char* p = begin; p < end;) {
    const char* const start = p;
    if (!is_delimiter(decode_utf8(p, end))) continue;
    if (!maker.add(static_cast<size_t>(start - begin), false) ||
        !maker.add(static_cast<size_t>(p - begin), true))
      return false;
  }
  return maker.add(text.size(), false) && maker.finish();
}

}  // namespace

bool split_pattern(const Pattern& pattern, std::string_view text, Delimiters delimiters,
                   bool invert, PieceSink sink) {
  PieceMaker maker(text, delimiters, sink);
  Pattern::Search search(pattern, text);
  while (const auto match = search.next()) {
    if (!maker.add(match->begin, invert) || !maker.add(match->end, !invert)) return false;
  }
  return maker.add(text.size(), invert) && maker.finish();
}

bool BertWordSplit::split(const PreTokenizerInput& input, PieceSink sink) const {
  return WhitespaceSplit().split(input, [&](std::string_view word) {
    return split_chars(word, Delimiters::isolated, sink,
                       [](char32_t c) { return (char_record(c).flags & kCharPunctuation) != 0; });
  });
}

bool WordSplit::split(const PreTokenizerInput& input, PieceSink sink) const {
  const char* const end = input.text.data() + input.text.size();
  const char* begin = input.text.data();
  uint16_t kind = kCharSpace;  // of the run that starts at begin
  for (const char* p = begin; p < end;) {
    const char* const start = p;
    const uint16_t flags = char_record(decode_utf8(p, end)).flags;
    const uint16_t next = flags & kCharWord ? kCharWord : flags & kCharSpace;
    if (next == kind) continue;
    if (kind != kCharSpace && !sink({begin, static_cast<size_t>(start - begin)})) return false;
    begin = start;
    kind = next;
  }
  return kind == kCharSpace || sink({begin, static_cast<size_t>(end - begin)});
}

bool WhitespaceSplit::split(const PreTokenizerInput& input, PieceSink sink) const {
  return split_chars(input.text, Delimiters::removed, sink,
                     [](char32_t c) { return (char_record(c).flags & kCharSpace) != 0; });
}

bool CharSplit::split(const PreTokenizerInput& input, PieceSink sink) const {
  return split_chars(input.text, Delimiters::removed, sink,
                     [this](char32_t c) { return c == delimiter; });
}

bool FixedLengthSplit::split(const PreTokenizerInput& input, PieceSink sink) const {
  const char* const end = input.text.data() + input.text.size();
  for (const char* p = input.text.data(); p < end;) {
    const char* const begin = p;
    for (size_t count = 0; count < length && p < end; ++count) decode_utf8(p, end);
    if (!sink({begin, static_cast<size_t>(p - begin)})) return false;
  }
  return true;
}

bool ScriptSplit::split(const PreTokenizerInput& input, PieceSink sink) const {
  const char* const end = input.text.data() + input.text.size();
  const char* begin = nullptr;  // of the run
  uint8_t script = kNoScript;
  for (const char* p = input.text.data(); p < end;) {
    const char* const start = p;
    const uint8_t next = script_of(decode_utf8(p, end));
    if (next == kNoScript || next == script) continue;
    if (begin && !sink({begin, static_cast<size_t>(start - begin)})) return false;
    begin = start;
    script = next;
  }
  return !begin || sink({begin, static_cast<size_t>(end - begin)});
}

bool PunctuationSplit::split(const PreTokenizerInput& input, PieceSink sink) const {
  return split_chars(input.text, delimiters, sink,
                     [](char32_t c) { return (char_record(c).flags & kCharPunctuation) != 0; });
}

bool DigitSplit::split(const PreTokenizerInput& input, PieceSink sink) const {
  return split_chars(input.text, individual ? Delimiters::isolated : Delimiters::contiguous, sink,
                     [](char32_t c) { return (char_record(c).flags & kCharNumeric) != 0; });
}

bool PatternSplit::split(const PreTokenizerInput& input, PieceSink sink) const {
  return split_pattern(pattern, input.text, delimiters, invert, sink);
}

bool ByteLevelSplit::split(const PreTokenizerInput& input, PieceSink sink) const {
  std::string& buffer = input.buffer;
  std::string_view text = input.text;
  if (add_prefix_space && text[0] != ' ') {
    buffer = ' ';
    buffer += text;
    text = buffer;
  } else {
    buffer.clear();
  }
  // A piece is written behind the text that it is cut from.
  const size_t kept = buffer.size();
  buffer.reserve(kept + 2 * text.size());
  if (kept != 0) text = std::string_view(buffer).substr(0, kept);
  const auto rewrite = [&](std::string_view piece) {
    buffer.resize(kept);
    append_byte_alphabet(buffer, piece);
    return sink(std::string_view(buffer).substr(kept));
  };
  if (!pattern) return rewrite(text);
  return split_pattern(*pattern, text, Delimiters::isolated, false, rewrite);
}

bool Metaspace::split(const PreTokenizerInput& input, PieceSink sink) const {
  std::string& buffer = input.buffer;
  buffer.clear();
  const std::string_view text = input.text;
  if (prepends(text, input.starts_text)) buffer += replacement;
  for (size_t begin = 0;;) {
    const size_t space = text.find(' ', begin);
    buffer.append(text, begin, space - begin);
    if (space == std::string_view::npos) break;
    buffer += replacement;
    begin = space + 1;
  }
  return split_rewritten(buffer, sink);
}

bool Metaspace::prepends(std::string_view text, bool starts_text) const {
  return prepend != Prepend::never && (prepend == Prepend::always || starts_text) &&
         text[0] != ' ' && !text.starts_with(replacement);
}

bool Metaspace::split_rewritten(std::string_view text, PieceSink sink) const {
  if (!cut) return sink(text);
  PieceMaker maker(text, Delimiters::merged_with_next, sink);
  for (size_t begin = 0;;) {
    const size_t found = text.find(replacement, begin);
    if (found == std::string_view::npos) break;
    begin = found + replacement.size();
    if (!maker.add(found, false) || !maker.add(begin, true)) return false;
  }
  return maker.add(text.size(), false) && maker.finish();
}

}  // namespace headway
