// Array and weight files for tests, written and read without the code under test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "engine/base/message.hpp"

namespace headway::cli {

inline std::string bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// A version 1.0 .npy file as numpy.save writes it; `shape` as Python prints it: "(2, 10, 64)".
inline std::string npy_file(const std::string& shape, const std::vector<float>& values,
                            const std::string& descr = "<f4") {
  std::string header =
      cat("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", shape, ", }");
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  std::string file("\x93NUMPY\x01\x00", 8);
  file.append({static_cast<char>(length & 255), static_cast<char>(length >> 8)});
  return file + header + bytes_of(values);
}

struct NpyContent {
  std::string shape;  // "(2, 10, 64)"
  std::vector<float> values;
};

// A float32 file in C order; anything else fails the test.
inline NpyContent parse_npy(const std::string& file) {
  NpyContent content;
  if (file.size() < 10 || file.compare(0, 8, std::string("\x93NUMPY\x01\x00", 8)) != 0) {
    ADD_FAILURE() << "not a version 1.0 .npy file of " << file.size() << " bytes";
    return content;
  }
  const size_t length = static_cast<unsigned char>(file[8]) | static_cast<unsigned char>(file[9])
                                                                  << 8;
  const std::string header = file.substr(10, length);
  EXPECT_EQ((10 + length) % 64, 0u);
  EXPECT_NE(header.find("'descr': '<f4'"), std::string::npos) << header;
  EXPECT_NE(header.find("'fortran_order': False"), std::string::npos) << header;
  const size_t open = header.find('('), close = header.find(')');
  content.shape = header.substr(open, close - open + 1);
  content.values.resize((file.size() - 10 - length) / sizeof(float));
  EXPECT_EQ((file.size() - 10 - length) % sizeof(float), 0u);
  std::memcpy(content.values.data(), file.data() + 10 + length,
              content.values.size() * sizeof(float));
  return content;
}

struct NamedTensor {
  std::string shape;  // as JSON: "[192, 64]"
  std::vector<float> values;
};

// A float32 safetensors file.
inline std::string safetensors_file(const std::map<std::string, NamedTensor>& tensors) {
  std::string header = "{", data;
  for (const auto& [name, tensor] : tensors) {
    const size_t begin = data.size();
    data += bytes_of(tensor.values);
    header += cat(header.size() > 1 ? "," : "", '"', name, R"(":{"dtype":"F32","shape":)",
                  tensor.shape, R"(,"data_offsets":[)", begin, ",", data.size(), "]}");
  }
  header += "}";
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

}  // namespace headway::cli
