// Walks over JSON text, aware of quotes: depth, NaN and Infinity, integers beyond int64.
#include "engine/formats/json_scan.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "engine/base/message.hpp"

namespace headway {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Every character that a number may consist of; the parser checks their order.
bool in_number(char c) {
  return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

bool is_integer_beyond_int64(std::string_view literal) {
  const std::string_view digits = literal.substr(literal.front() == '-' ? 1 : 0);
  // All integers of up to 18 digits fit.
  if (digits.size() < 19 || !std::all_of(digits.begin(), digits.end(), is_digit)) return false;
  int64_t value;
  const auto end = literal.data() + literal.size();
  return std::from_chars(literal.data(), end, value).ec == std::errc::result_out_of_range;
}

size_t line_of(std::string_view text, size_t position) {
  return 1 + static_cast<size_t>(std::count(text.begin(), text.begin() + position, '\n'));
}

// The position behind the string that opens at `position`, or the end of the text.
size_t skip_string(std::string_view text, size_t position) {
  for (++position; position < text.size(); ++position) {
    if (text[position] == '\\') {
      ++position;
    } else if (text[position] == '"') {
      return position + 1;
    }
  }
  return text.size();
}

}  // namespace

void scan_json(std::string_view text, const std::string& name, size_t max_depth, std::string& out) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  size_t depth = 0;
  size_t copied = 0;
  size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '"') {
      i = skip_string(text, i);
    } else if (c == '-' || is_digit(c)) {
      size_t end = i + 1;
      while (end < text.size() && in_number(text[end])) ++end;
      if (is_integer_beyond_int64(text.substr(i, end - i))) {
        out.append(text, copied, end - copied).append(".0");
        copied = end;
      }
      // "-Infinity": the letter comes next round.
      i = end;
    } else {
      if (c == '[' || c == '{') {
        if (++depth > max_depth)
          fail(ErrorCode::format, name, ": line ", line_of(text, i), ": nested deeper than ",
               max_depth, " levels");
      } else if ((c == ']' || c == '}') && depth > 0) {
        --depth;
      } else if (text.substr(i).starts_with("NaN") || text.substr(i).starts_with("Infinity")) {
        fail(ErrorCode::format, name, ": line ", line_of(text, i), ": ",
             c == 'N' ? "NaN" : "Infinity", " where a value is needed; JSON has no such number");
      }
      ++i;
    }
  }
  out.append(text, copied);
}

}  // namespace headway
