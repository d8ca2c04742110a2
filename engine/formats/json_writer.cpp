// JSON strings and numbers.
#include "engine/formats/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "engine/base/message.hpp"

namespace headway {
namespace {

// The length of the UTF-8 sequence at the start of `text` (Unicode 15, table 3-7), 0 when there is
// none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto tail = [&](size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  // The second byte's range excludes overlong forms, surrogates and what lies beyond U+10FFFF.
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return byte(1) >= low && byte(1) <= high && tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= low && byte(1) <= high && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

void append_control(std::string& out, unsigned char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default: {
      constexpr std::string_view kHex = "0123456789abcdef";
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    }
  }
}

template <typename T>
void append_number(std::string& out, T value) {
  if (!std::isfinite(value))
    fail(ErrorCode::invalid_argument, "JSON cannot hold the number ",
         std::isnan(value) ? "NaN" : "infinity");
  std::array<char, 32> buffer;  // the longest double has 24 characters
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out.append(buffer.data(), end);
}

}  // namespace

std::string json_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  out += '"';
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    size_t length = 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text.front();
    } else if (c < 0x20 || c == 0x7F) {  // DEL is legal JSON but no friend of terminals
      append_control(out, c);
    } else if (length = utf8_length(text); length > 0) {
      out.append(text, 0, length);
    } else {
      out += "\xEF\xBF\xBD";
      length = 1;
    }
    text.remove_prefix(length);
  }
  out += '"';
  return out;
}

void append_json_number(std::string& out, float value) {
  append_number(out, value);
}
void append_json_number(std::string& out, double value) {
  append_number(out, value);
}

std::string json_number(float value) {
  std::string out;
  append_json_number(out, value);
  return out;
}
std::string json_number(double value) {
  std::string out;
  append_json_number(out, value);
  return out;
}

JsonObjectWriter& JsonObjectWriter::add(std::string_view key, std::string_view value) {
  return add_raw(key, json_escape(value));
}

JsonObjectWriter& JsonObjectWriter::add(std::string_view key, float value) {
  return add_raw(key, json_number(value));
}

JsonObjectWriter& JsonObjectWriter::add(std::string_view key, double value) {
  return add_raw(key, json_number(value));
}

JsonObjectWriter& JsonObjectWriter::add_raw(std::string_view key, std::string_view json) {
  if (body_.size() > 1) body_ += ", ";
  body_.append(json_escape(key)).append(": ").append(json);
  return *this;
}

}  // namespace headway
