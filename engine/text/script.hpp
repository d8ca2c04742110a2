// The scripts of characters, as far as the pre-tokenizer UnicodeScripts shows them.
#pragma once

#include <cstdint>

namespace headway {

constexpr uint8_t kNoScript = 0;

// A number for each script; Han, Hiragana and Katakana have one together. kNoScript for the space
// and for characters that the reference knows nothing of.
uint8_t script_of(char32_t c);

}  // namespace headway
