// Finds the model and reads the texts.
#include "bench/support/minilm.hpp"

#include <fstream>
#include <stdexcept>

namespace headway {

std::filesystem::path minilm_directory() {
  const std::filesystem::path directory = HEADWAY_SOURCE_DIR "/models/all-MiniLM-L6-v2";
  if (!std::filesystem::exists(directory / "model.safetensors"))
    throw std::runtime_error(directory.string() + " is missing: run scripts/get_model.sh");
  return directory;
}

std::vector<std::string> mixed_texts() {
  constexpr char kTexts[] = HEADWAY_SOURCE_DIR "/bench/data/texts-2000.txt";
  std::ifstream in(kTexts);
  std::vector<std::string> texts;
  for (std::string line; std::getline(in, line);) texts.push_back(line);
  if (texts.size() != 2000)
    throw std::runtime_error(std::string(kTexts) + ": expected 2000 texts, found " +
                             std::to_string(texts.size()));
  return texts;
}

}  // namespace headway
