// The characters that byte-level tokenizers write bytes as.
//
// Source: GPT-2's encoder.py, bytes_to_unicode: printable bytes of Latin-1 stand for themselves,
// the others take the code points from U+0100 on, in order.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "engine/text/unicode.hpp"

namespace headway {

constexpr std::array<char32_t, 256> make_byte_alphabet() {
  std::array<char32_t, 256> alphabet{};
  char32_t next = 0x100;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool printable =
        (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xFF && byte != 0xAD);
    alphabet[byte] = printable ? byte : next++;
  }
  return alphabet;
}

inline constexpr std::array<char32_t, 256> kByteAlphabet = make_byte_alphabet();

inline void append_byte_alphabet(std::string& out, std::string_view bytes) {
  const size_t begin = out.size();
  out.resize(begin + 2 * bytes.size());  // every character takes one or two bytes
  char* p = out.data() + begin;
  for (const char byte : bytes) {
    const char32_t c = kByteAlphabet[static_cast<unsigned char>(byte)];
    if (c < 0x80) {
      *p++ = static_cast<char>(c);
    } else {
      *p++ = static_cast<char>(0xC0 | c >> 6);
      *p++ = static_cast<char>(0x80 | (c & 0x3F));
    }
  }
  out.resize(static_cast<size_t>(p - out.data()));
}

}  // namespace headway
