// The pass over the text.
#include "engine/text/text_pipeline.hpp"

#include <algorithm>

#include "engine/base/message.hpp"

namespace headway {
namespace {

// How far the search for added tokens runs ahead of the words: what is searched is in the L1 cache
// when the words are read, and little is searched in vain when the ids are enough early.
constexpr size_t kWindow = 4096;

// A sink of normalized characters: UTF-8.
struct Utf8Sink {
  std::string& out;
  void put(char32_t c) { append_utf8(out, c); }
};

void normalize(std::string_view text, const BertNormalizerOptions& options, MarkRun& marks,
               std::string& out) {
  out.clear();
  Utf8Sink sink{out};
  BertNormalizer<Utf8Sink> normalizer(options, marks, sink);
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) normalizer.push(decode_utf8(p, end));
  normalizer.finish();
}

// [begin, end) of a text; nothing when a token that took whitespace along has gone past `end`.
std::string_view between(std::string_view text, size_t begin, size_t end) {
  return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

}  // namespace

TextPipeline::TextPipeline(const TokenizerParts& parts)
    : options_(parts.normalizer),
      model_(parts.vocabulary, parts.prefix, parts.max_word_chars,
             *parts.vocabulary.find(parts.unknown_token)) {
  MarkRun marks;
  for (const AddedToken& token : parts.added_tokens) {
    std::string pattern = token.content;
    if (token.normalized) normalize(token.content, options_, marks, pattern);
    if (pattern.empty())
      fail(ErrorCode::format, parts.file, ": added token \"", token.content,
           "\": nothing is left of it when it is normalized");
    if (!(token.normalized ? normalized_ : raw_).add(pattern, token))
      fail(ErrorCode::format, parts.file, ": added token \"", token.content,
           "\": another one normalizes to \"", pattern, "\" as well");
  }
  for (char32_t c = 0; c < 128; ++c) {
    const CharRecord& record = char_record(c);
    ascii_mapped_[c] = static_cast<char>(options_.lowercase ? lowercase(c, record) : c);
    ascii_[c] = options_.clean_text && (record.flags & kCharControl) ? Ascii::drop
                : record.flags & kCharSpace                          ? Ascii::space
                : record.flags & kCharPunctuation                    ? Ascii::punctuation
                                                                     : Ascii::word;
  }
}

void TextPipeline::encode(std::string_view text, size_t enough, bool ignore_special,
                          TextWorkspace& workspace, std::vector<int32_t>& ids) const {
  workspace.word.clear();  // an exception may have left something
  workspace.marks.clear();
  BertWords words(model_, workspace.word, ids, enough);
  AddedTokenScan scan(raw_, text, ignore_special);
  // Words, marks and normalization never reach over an ASCII space, so what lies before one can be
  // encoded before the rest is searched. Tokens in normalized text may contain spaces.
  const size_t window = normalized_.empty() ? kWindow : text.size();
  size_t done = 0, searched = 0, limit = std::min(window, text.size());
  while (!words.full()) {
    if (const auto match = scan.next(limit)) {
      encode_piece(between(text, done, match->start), ignore_special, workspace, words, ids);
      if (words.full()) return;
      ids.push_back(match->id);
      done = match->stop;
      continue;
    }
    if (limit == text.size()) {
      encode_piece(between(text, done, limit), ignore_special, workspace, words, ids);
      return;
    }
    const std::string_view searchable = between(text, std::max(done, searched), limit);
    if (const size_t space = searchable.rfind(' '); space != std::string_view::npos) {
      const size_t cut = std::max(done, searched) + space;
      encode_piece(between(text, done, cut), ignore_special, workspace, words, ids);
      done = cut;
    }
    searched = limit;
    limit = std::min(limit + window, text.size());
  }
}

void TextPipeline::encode_piece(std::string_view piece, bool ignore_special,
                                TextWorkspace& workspace, BertWords& words,
                                std::vector<int32_t>& ids) const {
  if (normalized_.empty()) return encode_raw(piece, workspace.marks, words);
  normalize(piece, options_, workspace.marks, workspace.normalized);
  const std::string_view text = workspace.normalized;
  AddedTokenScan scan(normalized_, text, ignore_special);
  size_t done = 0;
  while (const auto match = scan.next(text.size())) {
    encode_normalized(between(text, done, match->start), words);
    if (words.full()) return;
    ids.push_back(match->id);
    done = match->stop;
    if (words.full()) return;
  }
  encode_normalized(between(text, done, text.size()), words);
}

void TextPipeline::encode_raw(std::string_view piece, MarkRun& marks, BertWords& words) const {
  const auto byte = [](const char* p) { return static_cast<unsigned char>(*p); };
  BertNormalizer<BertWords> normalizer(options_, marks, words);
  const char* p = piece.data();
  const char* const end = p + piece.size();
  while (p < end && !words.full()) {
    if (byte(p) >= 0x80) {
      // A dropped ASCII character does not separate the marks around it.
      do {
        normalizer.push(decode_utf8(p, end));
      } while (p < end && (byte(p) >= 0x80 || ascii_[byte(p)] == Ascii::drop) && !words.full());
      normalizer.finish();
      continue;
    }
    switch (ascii_[byte(p)]) {
      case Ascii::word: {
        const char* const begin = p;
        do {
          ++p;
        } while (p < end && byte(p) < 0x80 && ascii_[byte(p)] == Ascii::word);
        if (char* out = words.put_ascii(static_cast<size_t>(p - begin)))
          for (const char* q = begin; q < p; ++q) *out++ = ascii_mapped_[byte(q)];
        break;
      }
      case Ascii::punctuation:
        words.end_word();
        if (char* out = words.put_ascii(1)) *out = *p;
        words.end_word();
        ++p;
        break;
      case Ascii::space:
        words.end_word();
        ++p;
        break;
      case Ascii::drop:
        ++p;
        break;
    }
  }
  words.end_word();
}

void TextPipeline::encode_normalized(std::string_view piece, BertWords& words) {
  const char* const end = piece.data() + piece.size();
  for (const char* p = piece.data(); p < end && !words.full();) words.put(decode_utf8(p, end));
  words.end_word();
}

}  // namespace headway
