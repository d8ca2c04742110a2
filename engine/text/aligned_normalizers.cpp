// Each as the reference writes it: not the fastest way, but the one whose places are to be met.
#include "engine/text/aligned_normalizers.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/text/byte_alphabet.hpp"

namespace headway {
namespace {

// A character on its way, and its change (Alignment::put).
struct Change {
  char32_t c;
  int change;
};

// NFC's joining of characters in canonical order.
class AlignedComposer {
 public:
  explicit AlignedComposer(Alignment& out) : out_(out) {}

  void put(Change next) {
    const uint8_t combining = char_record(next.c).combining;
    if (!starter_) {
      if (combining != 0) return out_.put(next.c, next.change);
      starter_ = next;
      return;
    }
    // A character is blocked from the starter by one of its own class or a higher one between.
    if (marks_.empty() || last_combining_ < combining) {
      if (const char32_t composed = compose(starter_->c, next.c)) {
        starter_ = {composed, starter_->change + next.change - 1};
        return;
      }
    }
    if (combining == 0) {
      flush();
      starter_ = next;
    } else {
      marks_.push_back(next);
      last_combining_ = combining;
    }
  }

  void flush() {
    if (starter_) out_.put(starter_->c, starter_->change);
    for (const Change& mark : marks_) out_.put(mark.c, mark.change);
    marks_.clear();
    starter_.reset();
  }

 private:
  Alignment& out_;
  std::optional<Change> starter_;
  std::vector<Change> marks_;  // that stay behind the starter
  uint8_t last_combining_ = 0;
};

// Hands the decomposition of `in`, marks in canonical order, to `put`.
template <typename Put>
void decompose_aligned(const AlignedText& in, bool compatibility, Put&& put) {
  std::vector<Change> marks;
  const auto flush = [&] {
    std::stable_sort(marks.begin(), marks.end(), [](const Change& a, const Change& b) {
      return char_record(a.c).combining < char_record(b.c).combining;
    });
    for (const Change& mark : marks) put(mark);
    marks.clear();
  };
  const auto order = [&](Change next) {
    if (char_record(next.c).combining != 0) return marks.push_back(next);
    flush();
    put(next);
  };
  in.for_each([&](char32_t c, ByteSpan) {
    const uint16_t flags = char_record(c).flags;
    char32_t scratch[3];
    std::span<const char32_t> parts(&c, 1);
    if (compatibility && (flags & kCharCompatibility)) {
      parts = decompose_compatibly(c);
    } else if (flags & kCharDecomposes) {
      parts = decompose(c, scratch);
    }
    for (const char32_t& part : parts) order({part, &part == parts.data() ? 0 : 1});
  });
  flush();
}

void apply(const UnicodeForm& form, const AlignedText& in, WorkBudget&, AlignedText& out) {
  Alignment alignment(in, out);
  if (!form.composed)
    return decompose_aligned(in, form.compatibility,
                             [&](Change next) { alignment.put(next.c, next.change); });
  AlignedComposer composer(alignment);
  decompose_aligned(in, form.compatibility, [&](Change next) { composer.put(next); });
  composer.flush();
}

void apply(const Lowercase&, const AlignedText& in, WorkBudget&, AlignedText& out) {
  in.for_each([&](char32_t c, ByteSpan span) {
    out.put(lowercase(c, char_record(c)), span);
    if (c == kCapitalIWithDot) out.put(kDotAbove, span);
  });
}

void drop(const AlignedText& in, uint16_t flags, AlignedText& out) {
  in.for_each([&](char32_t c, ByteSpan span) {
    if (!(char_record(c).flags & flags)) out.put(c, span);
  });
}

void apply(const StripAccents&, const AlignedText& in, WorkBudget&, AlignedText& out) {
  drop(in, kCharCombiningMark, out);
}

void apply(const BertNormalization& bert, const AlignedText& in, WorkBudget& budget,
           AlignedText& out) {
  AlignedText step = in;
  const auto next = [&](auto&& transform) {
    out.clear();
    transform();
    std::swap(step, out);
  };
  if (bert.options.clean_text)
    next([&] {
      step.for_each([&](char32_t c, ByteSpan span) {
        const uint16_t flags = char_record(c).flags;
        if (!(flags & kCharControl)) out.put(flags & kCharSpace ? U' ' : c, span);
      });
    });
  if (bert.options.handle_chinese_chars)
    next([&] {
      step.for_each([&](char32_t c, ByteSpan span) {
        const bool apart = (char_record(c).flags & kCharIdeograph) != 0;
        if (apart) out.put(U' ', span);
        out.put(c, span);
        if (apart) out.put(U' ', span);
      });
    });
  if (bert.options.strip_accents) {
    next([&] { apply(UnicodeForm{}, step, budget, out); });
    next([&] { drop(step, kCharMark, out); });
  }
  if (bert.options.lowercase) next([&] { apply(Lowercase{}, step, budget, out); });
  std::swap(step, out);
}

void copy(const AlignedText& in, size_t begin, size_t end, AlignedText& out) {
  out.text.append(in.text, begin, end - begin);
  const auto first = in.spans.begin();
  out.spans.insert(out.spans.end(), first + static_cast<std::ptrdiff_t>(begin),
                   first + static_cast<std::ptrdiff_t>(end));
}

void apply(const Strip& strip, const AlignedText& in, WorkBudget&, AlignedText& out) {
  const std::string_view kept = strip.strip(in.text);
  const auto begin = static_cast<size_t>(kept.data() - in.text.data());
  copy(in, begin, begin + kept.size(), out);
}

void apply(const Replace& replace, const AlignedText& in, WorkBudget& budget, AlignedText& out) {
  size_t done = 0;
  Pattern::Search search(replace.pattern, in.text);
  while (const auto match = search.next()) {
    copy(in, done, match->begin, out);
    budget.take(replace.content.size());
    out.put(replace.content, in.spans[match->end - 1]);
    done = match->end;
  }
  copy(in, done, in.text.size(), out);
}

void apply(const Prepend& prepend, const AlignedText& in, WorkBudget& budget, AlignedText& out) {
  if (in.text.empty()) return;
  budget.take(prepend.content.size());
  out.put(prepend.content, in.spans[0]);
  copy(in, 0, in.text.size(), out);
}

void apply(const Nmt&, const AlignedText& in, WorkBudget&, AlignedText& out) {
  in.for_each([&](char32_t c, ByteSpan span) {
    if (const auto kept = Nmt::map(c)) out.put(*kept, span);
  });
}

void apply(const ByteLevelNormalization&, const AlignedText& in, WorkBudget&, AlignedText& out) {
  for (size_t i = 0; i < in.text.size(); ++i)
    out.put(kByteAlphabet[static_cast<unsigned char>(in.text[i])], in.spans[i]);
}

// What vanishes is taken to stand behind the character before it, and where there is none it does
// not count as replaced: then all places behind are too far to the left, as in the reference.
void apply(const Charsmap& charsmap, const AlignedText& in, WorkBudget& budget, AlignedText& out) {
  std::vector<Change> changes;
  const auto for_each_char = [](std::string_view text, auto&& put) {
    const char* const end = text.data() + text.size();
    for (const char* p = text.data(); p < end;) put(decode_utf8(p, end));
  };
  const auto keep = [&](std::string_view text) {
    for_each_char(text, [&](char32_t c) { changes.push_back({c, 0}); });
  };
  const auto replace = [&](std::string_view text, std::string_view replacement) {
    budget.take(replacement.size());
    int difference = 0;
    for_each_char(text, [&](char32_t) { --difference; });
    for_each_char(replacement, [&](char32_t c) {
      ++difference;
      changes.push_back({c, 0});
    });
    for (int i = 0; i < difference; ++i)
      changes[changes.size() - 1 - static_cast<size_t>(i)].change = 1;
    if (difference < 0 && !changes.empty()) changes.back().change += difference;
  };
  charsmap.walk(in.text, keep, replace);
  Alignment alignment(in, out);
  for (const Change& change : changes) alignment.put(change.c, change.change);
}

}  // namespace

void normalize_aligned(const std::vector<Normalizer>& normalizers, std::string_view text,
                       size_t begin, WorkBudget& budget, AlignedText& out) {
  out.clear();
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    const auto from = begin + static_cast<size_t>(p - text.data());
    const char32_t c = decode_utf8(p, end);
    out.put(c, {from, begin + static_cast<size_t>(p - text.data())});
  }
  AlignedText step;
  for (const Normalizer& normalizer : normalizers) {
    std::swap(step, out);
    out.clear();
    std::visit([&](const auto& of_kind) { apply(of_kind, step, budget, out); }, normalizer);
    budget.take(out.text.size());
  }
}

}  // namespace headway
