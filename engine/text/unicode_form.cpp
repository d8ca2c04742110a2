// Normalization forms: decompose, order the marks, compose.
#include "engine/text/normalizers.hpp"
#include "engine/text/unicode.hpp"

namespace headway {
namespace {

// Joins what it is given, characters in canonical order, as NFC does; appends UTF-8.
class Composer {
 public:
  Composer(std::vector<char32_t>& pending, std::string& out) : pending_(pending), out_(out) {
    pending_.clear();
  }

  void put(char32_t c, uint32_t combining) {
    if (starter_ == kNone) {
      if (combining != 0) return append_utf8(out_, c);
      starter_ = c;
      return;
    }
    // A character is blocked from the starter by one of its own class or a higher one between.
    if (combining > last_combining_ || pending_.empty()) {
      if (char_record(c).flags & kCharSecond) {
        if (const char32_t composed = compose(starter_, c)) {
          starter_ = composed;
          return;
        }
      }
    }
    if (combining == 0) {
      flush();
      starter_ = c;
    } else {
      pending_.push_back(c);
      last_combining_ = combining;
    }
  }

  void flush() {
    if (starter_ != kNone) append_utf8(out_, starter_);
    for (const char32_t c : pending_) append_utf8(out_, c);
    pending_.clear();
    starter_ = kNone;
  }

 private:
  static constexpr char32_t kNone = 0xFFFFFFFF;

  std::vector<char32_t>& pending_;  // marks that stay behind the starter
  std::string& out_;
  char32_t starter_ = kNone;
  uint32_t last_combining_ = 0;  // of the last of them
};

struct Writer {
  std::string& out;
  void put(char32_t c, uint32_t) { append_utf8(out, c); }
  void flush() {}
};

// Hands the full decomposition of `text`, marks in canonical order, to `sink`.
template <typename Sink>
void decompose_text(std::string_view text, bool compatibility, MarkRun& marks, std::string& out,
                    Sink& sink) {
  const auto put = [&](char32_t c, uint32_t combining) { sink.put(c, combining); };
  const auto order = [&](char32_t c) {
    const uint8_t combining = char_record(c).combining;
    if (combining != 0) return marks.add(c, combining);
    if (!marks.empty()) marks.drain(put);
    sink.put(c, 0);
  };
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    if (static_cast<unsigned char>(*p) < 0x80) {
      // ASCII stays; only the last of a run can be joined to what follows.
      const char* begin = p;
      while (p < end && static_cast<unsigned char>(*p) < 0x80) ++p;
      if (!marks.empty()) marks.drain(put);
      sink.flush();
      out.append(begin, p - 1);
      sink.put(static_cast<char32_t>(p[-1]), 0);
      continue;
    }
    const char32_t c = decode_utf8(p, end);
    const uint16_t flags = char_record(c).flags;
    if (compatibility && (flags & kCharCompatibility)) {
      for (const char32_t part : decompose_compatibly(c)) order(part);
    } else if (flags & kCharDecomposes) {
      char32_t scratch[3];
      for (const char32_t part : decompose(c, scratch)) order(part);
    } else {
      order(c);
    }
  }
  if (!marks.empty()) marks.drain(put);
  sink.flush();
}

}  // namespace

void UnicodeForm::apply(std::string_view text, NormalizerMemory& memory, std::string& out) const {
  if (composed) {
    Composer composer(memory.pending, out);
    decompose_text(text, compatibility, memory.marks, out, composer);
  } else {
    Writer writer{out};
    decompose_text(text, compatibility, memory.marks, out, writer);
  }
}

}  // namespace headway
