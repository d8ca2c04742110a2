// One character after the other.
#include "engine/text/normalizers.hpp"

#include <algorithm>

#include "engine/text/byte_alphabet.hpp"
#include "engine/text/unicode.hpp"

namespace headway {
namespace {

// Calls put(c) for each character.
template <typename Put>
void for_each_char(std::string_view text, Put&& put) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) put(decode_utf8(p, end));
}

bool is_space(char32_t c) {
  return (char_record(c).flags & kCharSpace) != 0;
}

bool nmt_drops(char32_t c) {
  return (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F ||
         c == 0x9F;
}

bool nmt_spaces(char32_t c) {
  return c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF ||
         c == kReplacementChar;
}

}  // namespace

void BertNormalization::apply(std::string_view text, NormalizerMemory& memory,
                              std::string& out) const {
  struct Sink {
    std::string& out;
    void put(char32_t c) { append_utf8(out, c); }
  } sink{out};
  BertNormalizer<Sink> normalizer(options, memory.marks, sink);
  for_each_char(text, [&](char32_t c) { normalizer.push(c); });
  normalizer.finish();
}

void Lowercase::apply(std::string_view text, NormalizerMemory&, std::string& out) const {
  for_each_char(text, [&](char32_t c) {
    append_utf8(out, lowercase(c, char_record(c)));
    if (c == kCapitalIWithDot) append_utf8(out, kDotAbove);
  });
}

void StripAccents::apply(std::string_view text, NormalizerMemory&, std::string& out) const {
  for_each_char(text, [&](char32_t c) {
    if (!(char_record(c).flags & kCharCombiningMark)) append_utf8(out, c);
  });
}

std::string_view Strip::strip(std::string_view text) const {
  const char* begin = text.data();
  const char* end = begin + text.size();
  while (left && begin < end) {
    const char* next = begin;
    if (!is_space(decode_utf8(next, end))) break;
    begin = next;
  }
  while (right && begin < end) {
    const char32_t c = decode_utf8_before(begin, end);
    if (!is_space(c)) break;
    end -= c < 0x80 ? 1 : c < 0x800 ? 2 : 3;  // all whitespace lies below U+10000
  }
  return {begin, static_cast<size_t>(end - begin)};
}

void Strip::apply(std::string_view text, NormalizerMemory&, std::string& out) const {
  out += strip(text);
}

void Replace::apply(std::string_view text, NormalizerMemory& memory, std::string& out) const {
  size_t done = 0;
  Pattern::Search search(pattern, text);
  while (const auto match = search.next()) {
    out.append(text, done, match->begin - done);
    memory.budget.take(content.size());
    out += content;
    done = match->end;
  }
  out.append(text, done);
}

void Prepend::apply(std::string_view text, NormalizerMemory& memory, std::string& out) const {
  memory.budget.take(content.size());
  if (!text.empty()) out += content;
  out += text;
}

std::optional<char32_t> Nmt::map(char32_t c) {
  if (nmt_drops(c)) return std::nullopt;
  return nmt_spaces(c) ? U' ' : c;
}

void Nmt::apply(std::string_view text, NormalizerMemory&, std::string& out) const {
  for_each_char(text, [&](char32_t c) {
    if (const auto kept = map(c)) append_utf8(out, *kept);
  });
}

void ByteLevelNormalization::apply(std::string_view text, NormalizerMemory&,
                                   std::string& out) const {
  append_byte_alphabet(out, text);
}

bool lowercases(const std::vector<Normalizer>& normalizers) {
  return std::any_of(normalizers.begin(), normalizers.end(), [](const Normalizer& normalizer) {
    const auto* bert = std::get_if<BertNormalization>(&normalizer);
    return std::holds_alternative<Lowercase>(normalizer) || (bert && bert->options.lowercase);
  });
}

}  // namespace headway
