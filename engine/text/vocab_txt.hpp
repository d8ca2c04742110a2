// Reading vocab.txt: one token a line, its id is the number of the line from 0.
#pragma once

#include <filesystem>

#include "engine/text/tokenizer_parts.hpp"

namespace headway {

// Fills file, vocabulary and model (WordPiece, with `unknown_token`, which must be a token).
// Whitespace at the end of a line does not belong to the token; an empty line leaves its id free.
// Error(format) naming file and line.
void read_vocab_txt(const std::filesystem::path& path, std::string_view unknown_token,
                    TokenizerParts& parts);

}  // namespace headway
