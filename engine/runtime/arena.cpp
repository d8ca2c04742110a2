// Memory straight from the system's pages: zeroed, aligned, and really gone after trim().
#include "engine/runtime/arena.hpp"

#include <sys/mman.h>

#include "engine/base/checked.hpp"

namespace headway {

void MemoryMeter::add(size_t bytes) {
  const size_t now = in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  size_t peak = peak_.load(std::memory_order_relaxed);
  while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

std::byte* Arena::reserve(size_t bytes) {
  if (bytes <= size_) return data_;
  const size_t rounded = checked_round_up(bytes, kPage, "working memory");
  trim();
  void* data = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    fail(ErrorCode::limit, "the system has no ", rounded, " bytes of working memory");
  data_ = static_cast<std::byte*>(data);
  size_ = rounded;
  meter_.add(size_);
  return data_;
}

void Arena::trim() {
  if (size_ == 0) return;
  munmap(data_, size_);
  meter_.remove(size_);
  data_ = nullptr;
  size_ = 0;
}

}  // namespace headway
