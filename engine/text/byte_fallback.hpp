// Tokens for single bytes, as SentencePiece has them: "<0x0A>".
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/vocabulary.hpp"

namespace headway {

// The id of each byte's token; -1 for none.
using ByteTokens = std::array<int32_t, 256>;

inline ByteTokens byte_tokens(const Vocabulary& vocabulary) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  ByteTokens tokens;
  for (size_t byte = 0; byte < 256; ++byte) {
    const std::string token = {'<', '0', 'x', kDigits[byte / 16], kDigits[byte % 16], '>'};
    tokens[byte] = vocabulary.find(token).value_or(-1);
  }
  return tokens;
}

// False, appending nothing, when a byte has no token.
inline bool append_byte_tokens(const ByteTokens& tokens, std::string_view text,
                               std::vector<int32_t>& ids) {
  const auto token = [&](char byte) { return tokens[static_cast<unsigned char>(byte)]; };
  if (std::any_of(text.begin(), text.end(), [&](char byte) { return token(byte) < 0; }))
    return false;
  for (const char byte : text) ids.push_back(token(byte));
  return true;
}

}  // namespace headway
