// A few objects that threads take and give back without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace headway {

// Up to kSlots objects at rest. A thread looks at the slot of its own number first, so that in the
// steady state each thread gets back what it gave and nothing is made or destroyed. take() may
// return null: the caller then makes an object.
template <typename T>
class Handles {
 public:
  Handles() = default;
  ~Handles() {
    for (auto& slot : slots_) delete slot.load(std::memory_order_relaxed);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  std::unique_ptr<T> take() {
    return std::unique_ptr<T>(own().exchange(nullptr, std::memory_order_acq_rel));
  }
  void give_back(std::unique_ptr<T> object) {
    std::unique_ptr<T> evicted(own().exchange(object.release(), std::memory_order_acq_rel));
  }

 private:
  static constexpr size_t kSlots = 64;

  std::atomic<T*>& own() {
    static std::atomic<size_t> threads{0};
    thread_local const size_t number = threads.fetch_add(1, std::memory_order_relaxed);
    return slots_[number % kSlots];
  }

  std::array<std::atomic<T*>, kSlots> slots_{};
};

}  // namespace headway
