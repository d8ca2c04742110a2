// Ids with the places in the caller's text that they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/text/aligned_text.hpp"

namespace headway {

struct PlacedToken {
  int32_t id;
  ByteSpan span;
  size_t spaces_before, spaces_after;  // at the ends of its text, for trim_offsets
};

// `text`: that of the token, as the vocabulary or the caller writes it.
PlacedToken place_token(int32_t id, std::string_view text, ByteSpan span);

// What the post-processors ByteLevel and RobertaProcessing do with trim_offsets: takes the spaces
// at the ends of tokens out of their places, but for the space that stands before a text when
// `add_prefix_space` may have put it there. `at_start`: the first of `tokens` is the first of its
// encoding, which is then taken to have that space wherever it comes from (tokenizers 0.23.3,
// pre_tokenizers/byte_level.rs). The places are in `text`.
void trim_offsets(std::string_view text, bool add_prefix_space, bool at_start,
                  std::span<PlacedToken> tokens);

}  // namespace headway
