// Sealed pages.
#include "engine/runtime/read_only_block.hpp"

#include <sys/mman.h>

#include "engine/base/message.hpp"

namespace headway {

ReadOnlyBlock::ReadOnlyBlock(size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    fail(ErrorCode::limit, "the system has no ", bytes, " bytes for packed weights");
  data_ = static_cast<std::byte*>(data);
}

ReadOnlyBlock::~ReadOnlyBlock() {
  if (data_ != nullptr) munmap(data_, size_);
}

void ReadOnlyBlock::seal() {
  if (data_ != nullptr) mprotect(data_, size_, PROT_READ);
}

}  // namespace headway
