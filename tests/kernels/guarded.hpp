// A float array with an inaccessible page directly before or directly behind it: a kernel that
// reads or writes beyond its array dies.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>

namespace headway::test {

enum class Guard { before, behind };

inline constexpr Guard kGuards[] = {Guard::before, Guard::behind};

class Guarded {
 public:
  // `values`, with the guard on the given side; `behind` also makes the array as misaligned as its
  // length says.
  Guarded(std::span<const float> values, Guard guard) : size_(values.size()) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t inner = (values.size_bytes() + page - 1) / page * page;
    mapped_ = inner + 2 * page;
    base_ = static_cast<char*>(
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    mprotect(base_, page, PROT_NONE);
    mprotect(base_ + page + inner, page, PROT_NONE);
    char* first = base_ + page + (guard == Guard::before ? 0 : inner - values.size_bytes());
    data_ = reinterpret_cast<float*>(first);
    std::copy(values.begin(), values.end(), data_);
  }
  ~Guarded() { munmap(base_, mapped_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  float* data() { return data_; }
  std::span<const float> values() const { return {data_, size_}; }

 private:
  size_t size_;
  size_t mapped_ = 0;
  char* base_ = nullptr;
  float* data_ = nullptr;
};

}  // namespace headway::test
