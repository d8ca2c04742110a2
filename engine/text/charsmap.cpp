// Reading the map, and looking clusters up.
#include "engine/text/charsmap.hpp"

#include <algorithm>

#include "engine/base/message.hpp"
#include "engine/text/grapheme.hpp"
#include "engine/text/normalizers.hpp"
#include "engine/text/unicode.hpp"

namespace headway {
namespace {

// What the 32 bits of a unit of the double array mean.
constexpr bool has_leaf(uint32_t unit) {
  return (unit >> 8 & 1) != 0;
}
constexpr uint32_t value(uint32_t unit) {
  return unit & 0x7FFFFFFF;
}
constexpr uint32_t label(uint32_t unit) {
  return unit & 0x800000FF;
}
constexpr uint32_t offset(uint32_t unit) {
  return unit >> 10 << ((unit & 0x200) >> 6);
}

uint32_t read_uint32(std::string_view bytes, size_t at) {
  uint32_t result = 0;
  for (size_t i = 4; i-- > 0;) result = result << 8 | static_cast<unsigned char>(bytes[at + i]);
  return result;
}

// Longer clusters are not looked up as a whole.
constexpr size_t kMaxCluster = 5;

}  // namespace

Charsmap::Charsmap(std::string_view bytes, const std::string& where) {
  if (bytes.size() < 4) fail(ErrorCode::format, where, ": the charsmap is cut short");
  const size_t size = read_uint32(bytes, 0);
  if (size > bytes.size() - 4 || size % 4 != 0 || size == 0)
    fail(ErrorCode::format, where, ": expected a charsmap with a trie of ", size, " bytes, found ",
         bytes.size() - 4, " bytes");
  auto map = std::make_shared<Map>();
  for (size_t at = 4; at < 4 + size; at += 4) map->units.push_back(read_uint32(bytes, at));
  map->replacements = bytes.substr(4 + size);
  const std::string& texts = map->replacements;
  if (!is_utf8(texts) || (!texts.empty() && texts.back() != '\0'))
    fail(ErrorCode::format, where, ": the replacements of the charsmap are damaged");
  for (size_t at = 0; at < map->units.size(); ++at) {
    if (label(map->units[at]) > 0xFF || !has_leaf(map->units[at])) continue;  // a value, or none
    const size_t leaf = at ^ offset(map->units[at]);
    const size_t text = leaf < map->units.size() ? value(map->units[leaf]) : texts.size();
    if (text >= texts.size() || (static_cast<unsigned char>(texts[text]) & 0xC0) == 0x80)
      fail(ErrorCode::format, where, ": unit ", at, " of the charsmap leads nowhere");
  }
  const std::vector<uint32_t>& units = map->units;
  for (uint32_t c = 0; c < 128; ++c) {
    const size_t at = offset(units[0]) ^ c;
    ascii_stays_[c] = c == 0 || at >= units.size() || label(units[at]) != c;
  }
  map_ = std::move(map);
}

std::optional<std::string_view> Charsmap::find(std::string_view text) const {
  const std::vector<uint32_t>& units = map_->units;
  size_t node = offset(units[0]);
  for (const char c : text) {
    const uint32_t byte = static_cast<unsigned char>(c);
    node ^= byte;
    if (byte == 0 || node >= units.size() || label(units[node]) != byte) return std::nullopt;
    const uint32_t unit = units[node];
    node ^= offset(unit);
    if (has_leaf(unit)) return std::string_view(map_->replacements.data() + value(units[node]));
  }
  return std::nullopt;
}

template <typename Keep, typename Replace>
void Charsmap::for_each_part(std::string_view text, Keep&& keep, Replace&& replace) const {
  const auto byte = [](const char* p) { return static_cast<unsigned char>(*p); };
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    const char* const begin = p;
    // ASCII before ASCII is a cluster of its own, but for a line's end.
    while (p < end && byte(p) < 0x80 && ascii_stays_[byte(p)] && *p != '\r' &&
           (p + 1 == end || byte(p + 1) < 0x80))
      ++p;
    if (begin < p) keep(std::string_view(begin, static_cast<size_t>(p - begin)));
    if (p == end) return;
    const char* const start = p;
    GraphemeCluster cluster(decode_utf8(p, end));
    for (const char* next = p; p < end; p = next)
      if (!cluster.accept(decode_utf8(next, end))) break;
    const std::string_view whole(start, static_cast<size_t>(p - start));
    if (whole.size() <= kMaxCluster) {
      if (const auto replacement = find(whole)) {
        replace(whole, *replacement);
        continue;
      }
    }
    for (const char* q = start; q < p;) {
      const char* const from = q;
      decode_utf8(q, p);
      const std::string_view character(from, static_cast<size_t>(q - from));
      const auto replacement = find(character);
      replacement ? replace(character, *replacement) : keep(character);
    }
  }
}

void Charsmap::apply(std::string_view text, NormalizerMemory& memory, std::string& out) const {
  for_each_part(
      text, [&](std::string_view kept) { out += kept; },
      [&](std::string_view, std::string_view replacement) {
        memory.budget.take(replacement.size());
        out += replacement;
      });
}

void Charsmap::walk(std::string_view text, FunctionRef<void(std::string_view)> keep,
                    FunctionRef<void(std::string_view, std::string_view)> replace) const {
  for_each_part(text, keep, replace);
}

}  // namespace headway
