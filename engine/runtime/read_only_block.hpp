// A block of memory that is written once and then only read.
#pragma once

#include <cstddef>

namespace headway {

// Pages of their own, aligned to 64 and zeroed, writable until seal(). Sealed pages are shared with
// forked children for good: nothing can write to them and so make copies.
class ReadOnlyBlock {
 public:
  // Error(limit) when the system has no such memory.
  explicit ReadOnlyBlock(size_t bytes);
  ~ReadOnlyBlock();
  ReadOnlyBlock(const ReadOnlyBlock&) = delete;
  ReadOnlyBlock& operator=(const ReadOnlyBlock&) = delete;

  size_t size() const { return size_; }
  const std::byte* data() const { return data_; }
  // Not after seal().
  std::byte* writable() { return data_; }
  void seal();

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace headway
