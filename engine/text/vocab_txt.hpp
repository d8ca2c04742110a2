// Reading vocab.txt: one token a line, its id is the number of the line from 0.
#pragma once

#include <filesystem>

#include "engine/text/tokenizer_parts.hpp"

namespace headway {

// Fills file and vocabulary, and checks that unknown_token is in it. Whitespace at the end of a
// line does not belong to the token; an empty line leaves its id free. Error(format) naming file
// and line.
void read_vocab_txt(const std::filesystem::path& path, TokenizerParts& parts);

}  // namespace headway
