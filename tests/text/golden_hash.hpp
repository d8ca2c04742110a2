// Random texts and hashes of ids, the same as in scripts/make_golden_tokenizer.py.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <string>
#include <vector>

namespace headway {

// FNV-1a over 32-bit words, each text ended by -1.
struct GoldenHash {
  uint64_t value = 0xCBF29CE484222325;
  void add_text(const std::vector<int32_t>& ids) {
    for (const int32_t id : ids) add(static_cast<uint32_t>(id));
    add(0xFFFFFFFF);
  }
  void add(uint32_t word) { value = (value ^ word) * 0x100000001B3; }
};

class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}
  uint32_t below(uint32_t n) {  // xorshift64*
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<uint32_t>((state_ * 0x2545F4914F6CDD1D) >> 33) % n;
  }

 private:
  uint64_t state_;
};

// What a random string is made of: first and last code point of a range, drawn with equal chance.
inline constexpr uint32_t kGoldenRanges[][2] = {
    {0x20, 0x20},       {0x61, 0x7A},       {0x41, 0x5A},      {0x21, 0x7E},     {0x00, 0x1F},
    {0x7F, 0xFF},       {0x100, 0x24F},     {0x300, 0x36F},    {0x300, 0x36F},   {0x591, 0x5C7},
    {0x302A, 0x302F},   {0x1D165, 0x1D172}, {0x1AB0, 0x1AFF},  {0x4E00, 0x4E40}, {0xAC00, 0xAC80},
    {0xF900, 0xFA20},   {0x1E00, 0x1FFF},   {0x2000, 0x206F},  {0x370, 0x3FF},   {0x900, 0x94F},
    {0x1F600, 0x1F64F}, {0x0, 0xD7FF},      {0xE000, 0x10FFFF}};

// The names that a map of hashes has.
template <typename Hashes>
std::vector<std::string> names_of(const Hashes& hashes) {
  std::vector<std::string> names;
  for (const auto& [name, hash] : hashes) names.push_back(name);
  return names;
}

// A name as GoogleTest takes it.
inline std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace headway
