// The real model, and what the reference made of it: tests/golden/minilm (see
// scripts/make_golden_minilm.py).
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/json.hpp"

namespace headway {

// all-MiniLM-L6-v2. A test that needs it fails, rather than pass without having looked.
inline std::filesystem::path real_model_directory() {
  const std::filesystem::path path = HEADWAY_SOURCE_DIR "/models/all-MiniLM-L6-v2";
  if (!std::filesystem::exists(path / "model.safetensors"))
    throw std::runtime_error(path.string() + " is missing: run scripts/get_model.sh");
  return path;
}

inline std::string golden_path(const std::string& name) {
  return HEADWAY_SOURCE_DIR "/tests/golden/" + name;
}

inline std::string read_golden(const std::string& name) {
  std::ifstream in(golden_path(name), std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + golden_path(name));
  return {std::istreambuf_iterator<char>(in), {}};
}

// The JSON value of each line.
inline std::vector<Json> read_golden_lines(const std::string& name) {
  std::vector<Json> lines;
  const std::string file = read_golden(name);
  for (size_t begin = 0; begin < file.size();) {
    const size_t end = file.find('\n', begin);
    lines.push_back(Json::parse(file.substr(begin, end - begin), name));
    begin = end + 1;
  }
  return lines;
}

// They last as long as the JSON value.
inline std::vector<std::string_view> strings(JsonNode array) {
  std::vector<std::string_view> texts;
  for (const JsonNode text : array.elements()) texts.push_back(text.as_string());
  return texts;
}

// The numbers of a float32 .npy file of version 1, in C order.
inline std::vector<float> read_golden_floats(const std::string& name) {
  const std::string file = read_golden(name);
  const size_t header = 10 + static_cast<uint8_t>(file.at(8)) + 256 * static_cast<uint8_t>(file[9]);
  if (file.find("'<f4'") > header || file.find("'fortran_order': False") > header)
    throw std::runtime_error(name + " is not float32 in C order");
  std::vector<float> values((file.size() - header) / sizeof(float));
  std::memcpy(values.data(), file.data() + header, values.size() * sizeof(float));
  return values;
}

inline std::vector<std::string> golden_texts() {
  std::vector<std::string> texts;
  for (const Json& line : read_golden_lines("minilm/texts.jsonl"))
    texts.emplace_back(line.root().as_string());
  return texts;
}

}  // namespace headway
