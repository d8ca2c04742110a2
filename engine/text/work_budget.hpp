// A bound on what the steps of a file may make of a text.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/message.hpp"

namespace headway {

// Steps that write much for little multiply when they follow each other: ten that replace a
// character by ten make 10 GB of one byte. Published files write at most 40 bytes for each byte of
// a text, all steps together.
class WorkBudget {
 public:
  explicit WorkBudget(size_t text_bytes = 0)
      : text_bytes_(text_bytes), left_(kBytesPerByte * (text_bytes + kFreeBytes)) {}

  // To be called with what a step writes. Error(limit) when it is too much.
  void take(size_t bytes) {
    if (bytes > left_)
      fail(ErrorCode::limit, "the steps of the tokenizer write more than ", kBytesPerByte,
           " bytes for each byte of a text of ", text_bytes_, " bytes");
    left_ -= bytes;
  }

 private:
  static constexpr uint64_t kBytesPerByte = 1000, kFreeBytes = 64;

  size_t text_bytes_;
  uint64_t left_;
};

}  // namespace headway
