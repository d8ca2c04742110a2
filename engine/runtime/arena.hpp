// Arena: the working memory of one running thread or team.
#pragma once

#include <atomic>
#include <cstddef>

namespace headway {

// Bytes held by all arenas of one engine, and the most they ever held.
class MemoryMeter {
 public:
  void add(size_t bytes);
  void remove(size_t bytes) { in_use_.fetch_sub(bytes, std::memory_order_relaxed); }
  size_t in_use() const { return in_use_.load(std::memory_order_relaxed); }
  size_t peak() const { return peak_.load(std::memory_order_relaxed); }

 private:
  std::atomic<size_t> in_use_{0};
  std::atomic<size_t> peak_{0};
};

// One block of memory that grows to what the plan of a group asks for and is used again by the
// next. Used by one run at a time.
class Arena {
 public:
  static constexpr size_t kAlignment = 64;  // a cache line, and the widest vector
  static constexpr size_t kPage = 4096;     // memory comes in multiples of it

  explicit Arena(MemoryMeter& meter) : meter_(meter) {}
  ~Arena() { trim(); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // At least `bytes` bytes, zeroed when new, aligned to kAlignment; what was in the block is lost
  // when it grows. Error(limit) when the system has no such memory.
  std::byte* reserve(size_t bytes);
  // Gives the block back.
  void trim();

 private:
  MemoryMeter& meter_;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace headway
