// A fair, bounded count of slots: how an engine hands out its slabs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <stop_token>
#include <vector>

namespace headway {

// Slots 0 .. count-1. Callers that must wait are served in the order they came. Taking and giving
// back hold a lock for a few instructions; nothing is locked while a slot is in use.
class Slots {
 public:
  explicit Slots(int count);

  // Takes between 1 and taken.size() free slots, as many as there are, writes them to `taken` and
  // returns their number. When none is free: waits in order, or throws Error(busy) when `wait` is
  // false; Error(cancelled) when `stop` fires first.
  int take(std::span<int> taken, bool wait, const std::stop_token& stop);
  void give_back(int slot);
  // Whether somebody waits: a run with several slots then gives up those it can.
  bool contended() const { return waiting_.load(std::memory_order_relaxed) > 0; }

  // Calls body(slot) for each slot that is free now, while it cannot be taken.
  template <typename Body>
  void for_each_free(const Body& body) {
    std::lock_guard lock(mutex_);
    for (int slot : free_) body(slot);
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<int>
      free_;  // taken from the back, so that the slot last used, still in cache, comes first
  uint64_t next_ticket_ = 0;
  std::deque<uint64_t> queue_;  // tickets of those who wait
  std::atomic<int> waiting_{0};
};

}  // namespace headway
