// Working memory of one call, from the heap, which keeps it for the next, unlike an Arena.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "engine/base/message.hpp"
#include "engine/runtime/arena.hpp"

namespace headway {

struct FreeAligned {
  void operator()(std::byte* memory) const {
    ::operator delete[](memory, std::align_val_t{Arena::kAlignment});
  }
};
using AlignedMemory = std::unique_ptr<std::byte[], FreeAligned>;

// Aligned to Arena::kAlignment. Error(limit) naming `what` when the system has no such memory.
inline AlignedMemory allocate_aligned(size_t bytes, const char* what) {
  auto* memory = static_cast<std::byte*>(
      ::operator new[](bytes, std::align_val_t{Arena::kAlignment}, std::nothrow));
  if (memory == nullptr)
    fail(ErrorCode::limit, what, ": the system has no ", bytes, " bytes of working memory");
  return AlignedMemory(memory);
}

}  // namespace headway
