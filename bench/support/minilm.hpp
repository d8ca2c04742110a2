// What benchmarks of all-MiniLM-L6-v2 share: the model's directory and the texts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headway {

// models/all-MiniLM-L6-v2. std::runtime_error saying how to get it when it is not there.
std::filesystem::path minilm_directory();

// The 2000 texts of bench/data/texts-2000.txt.
std::vector<std::string> mixed_texts();

}  // namespace headway
