// Taking slots in order.
#include "engine/runtime/slots.hpp"

#include <algorithm>

#include "engine/base/message.hpp"

namespace headway {

Slots::Slots(int count) {
  free_.reserve(static_cast<size_t>(count));
  for (int slot = count - 1; slot >= 0; --slot) free_.push_back(slot);
}

int Slots::take(std::span<int> taken, bool wait, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (free_.empty() || !queue_.empty()) {
    if (!wait) fail(ErrorCode::busy, "every slab of the engine is in use");
    const uint64_t ticket = next_ticket_++;
    queue_.push_back(ticket);
    waiting_.store(static_cast<int>(queue_.size()), std::memory_order_relaxed);
    const bool served =
        changed_.wait(lock, stop, [&] { return !free_.empty() && queue_.front() == ticket; });
    queue_.erase(std::find(queue_.begin(), queue_.end(), ticket));
    waiting_.store(static_cast<int>(queue_.size()), std::memory_order_relaxed);
    if (!served) {
      changed_.notify_all();  // the one behind may be first now
      fail(ErrorCode::cancelled, "cancelled while waiting for a slab of the engine");
    }
  }
  // Those who wait get one slot each before anybody gets a second one.
  const int limit = queue_.empty() ? static_cast<int>(taken.size()) : 1;
  int count = 0;
  while (count < limit && !free_.empty()) {
    taken[count++] = free_.back();
    free_.pop_back();
  }
  if (!queue_.empty()) changed_.notify_all();
  return count;
}

void Slots::give_back(int slot) {
  {
    std::lock_guard lock(mutex_);
    free_.push_back(slot);
  }
  changed_.notify_all();
}

}  // namespace headway
