// Stands before glibc's allocator. Every form ends in malloc, calloc, realloc or memalign; operator
// new of libstdc++ calls malloc. What is allocated here is freed by glibc's own free.
#include "tests/properties/counting_malloc.hpp"

#include <errno.h>

#include <atomic>

#include "engine/ops/onednn.hpp"

// glibc exports them for this purpose.
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace headway {
namespace {

std::atomic<bool> counting{false};
std::atomic<size_t> ours{0}, onednns{0};

void count() {
  if (!counting.load(std::memory_order_relaxed)) return;
  (inside_onednn() ? onednns : ours).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

void start_counting() {
  ours = 0;
  onednns = 0;
  counting = true;
}

Allocations stop_counting() {
  counting = false;
  return {ours, onednns};
}

}  // namespace headway

extern "C" {

void* malloc(size_t bytes) noexcept {
  headway::count();
  return __libc_malloc(bytes);
}

void* calloc(size_t count, size_t bytes) noexcept {
  headway::count();
  return __libc_calloc(count, bytes);
}

void* realloc(void* old, size_t bytes) noexcept {
  headway::count();
  return __libc_realloc(old, bytes);
}

void* memalign(size_t alignment, size_t bytes) noexcept {
  headway::count();
  return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  headway::count();
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** result, size_t alignment, size_t bytes) noexcept {
  headway::count();
  void* memory = __libc_memalign(alignment, bytes);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

}  // extern "C"
