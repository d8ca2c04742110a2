// Writes pieces of JSON (RFC 8259) for machine-readable output and error messages.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace headway {

// `text` (UTF-8) as a JSON string with its quotes. Only what JSON demands is escaped; a byte that
// is not part of valid UTF-8 becomes U+FFFD, so the result is always valid.
std::string json_escape(std::string_view text);

// Appends the shortest digits that read back as the same value, always valid JSON.
// Error(invalid_argument) for NaN and infinities, which JSON cannot hold.
void append_json_number(std::string& out, float value);
void append_json_number(std::string& out, double value);

// The same as a new string.
std::string json_number(float value);
std::string json_number(double value);

// Builds one object on one line: JsonObjectWriter().add("texts", 3).add("isa", "avx2").str().
// Keys are written in the order added; the caller adds each once.
class JsonObjectWriter {
 public:
  JsonObjectWriter& add(std::string_view key, std::string_view value);
  JsonObjectWriter& add(std::string_view key, const char* value) {
    return add(key, std::string_view(value));
  }
  JsonObjectWriter& add(std::string_view key, float value);
  JsonObjectWriter& add(std::string_view key, double value);
  JsonObjectWriter& add(std::string_view key, bool value) {
    return add_raw(key, value ? "true" : "false");
  }
  template <typename Integer>
  requires std::is_integral_v<Integer> JsonObjectWriter& add(std::string_view key, Integer value) {
    return add_raw(key, std::to_string(value));
  }
  // `json` is JSON already: an array, a nested object.
  JsonObjectWriter& add_raw(std::string_view key, std::string_view json);

  // The object; no newline at its end.
  std::string str() const { return body_ + "}"; }

 private:
  std::string body_ = "{";
};

}  // namespace headway
