// The pass over the text, with a short way for ASCII.
#include "engine/text/bert_encoder.hpp"

#include "engine/text/unicode.hpp"

namespace headway {

BertEncoder::BertEncoder(const Vocabulary& vocabulary, const BertNormalizerOptions& normalizer,
                         const WordPieceOptions& model)
    : options_(normalizer), model_(vocabulary, model) {
  for (char32_t c = 0; c < 128; ++c) {
    const CharRecord& record = char_record(c);
    ascii_mapped_[c] = static_cast<char>(options_.lowercase ? lowercase(c, record) : c);
    ascii_[c] = options_.clean_text && (record.flags & kCharControl) ? Ascii::drop
                : record.flags & kCharSpace                          ? Ascii::space
                : record.flags & kCharPunctuation                    ? Ascii::punctuation
                                                                     : Ascii::word;
  }
}

void BertEncoder::normalize(std::string_view text, TextWorkspace& workspace,
                            std::string& out) const {
  out.clear();
  BertNormalization{options_}.apply(text, workspace.normalizer, out);
}

void BertEncoder::encode_raw(TextPiece piece, TextWorkspace& workspace, IdSink& sink) const {
  BertWords words(model_, workspace.word, sink);
  const auto byte = [](const char* p) { return static_cast<unsigned char>(*p); };
  BertNormalizer<BertWords> normalizer(options_, workspace.normalizer.marks, words);
  const char* p = piece.text.data();
  const char* const end = p + piece.text.size();
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

void BertEncoder::encode_normalized(TextPiece piece, TextWorkspace& workspace, IdSink& sink) const {
  BertWords words(model_, workspace.word, sink);
  const char* const end = piece.text.data() + piece.text.size();
  for (const char* p = piece.text.data(); p < end && !words.full();) words.put(decode_utf8(p, end));
  words.end_word();
}

}  // namespace headway
