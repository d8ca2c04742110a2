// Taking, sharing and giving back slots.
#include "engine/runtime/slots.hpp"

#include <algorithm>
#include <functional>

#include "engine/base/message.hpp"

namespace headway {

Slots::Slots(int count) : owner_(static_cast<size_t>(count)) {
  free_.reserve(owner_.size());
  for (int slot = count - 1; slot >= 0; --slot) free_.push_back(slot);
}

Slots::Share::Share(Slots& slots, bool wait, const std::stop_token& stop) : slots_(slots) {
  std::unique_lock lock(slots_.mutex_);
  if (!slots_.free_.empty()) {
    slots_.enter(*this);
    first_ = slots_.take(*this);
    return;
  }
  if (!wait) fail(ErrorCode::busy, "every slab of the engine is in use");
  waited_ = true;
  slots_.enter(*this);
  ++slots_.waiting_;
  lock.unlock();  // the callback, which takes the lock, may run at once
  {
    const std::stop_callback wake(stop, [this] {
      std::lock_guard lock(slots_.mutex_);
      served_.notify_one();
    });
    lock.lock();
    served_.wait(lock, [&] { return held_ > 0 || stop.stop_requested(); });
    lock.unlock();  // the callback may be under way, and is waited for here
  }
  lock.lock();
  if (held_ > 0) return;
  --slots_.waiting_;
  slots_.leave(*this);
  fail(ErrorCode::cancelled, "cancelled while waiting for a slab of the engine");
}

Slots::Share::~Share() {
  std::lock_guard lock(slots_.mutex_);
  want(false);
  slots_.leave(*this);
  for (size_t slot = 0; held_ > 0; ++slot) {
    if (slots_.owner_[slot] == this) slots_.put_back(*this, static_cast<int>(slot));
  }
}

int Slots::Share::held() const {
  std::lock_guard lock(slots_.mutex_);
  return held_;
}

int Slots::Share::more() {
  std::lock_guard lock(slots_.mutex_);
  const bool denied =
      slots_.free_.empty() || (held_ >= slots_.fair_share() && slots_.wanted_by_another(*this));
  want(denied);
  return denied ? -1 : slots_.take(*this);
}

void Slots::Share::enough() {
  std::lock_guard lock(slots_.mutex_);
  want(false);
}

bool Slots::Share::yield(int slot) {
  if (slots_.waiting_.load(std::memory_order_relaxed) == 0 &&
      slots_.wanting_.load(std::memory_order_relaxed) == 0) {
    return false;
  }
  std::lock_guard lock(slots_.mutex_);
  // Those who want find what is free by themselves.
  const bool needed =
      slots_.waiting_ > 0 || (slots_.free_.empty() && slots_.wanted_by_another(*this));
  if (!needed || held_ <= slots_.fair_share()) return false;
  slots_.put_back(*this, slot);
  return true;
}

void Slots::Share::give_back(int slot) {
  std::lock_guard lock(slots_.mutex_);
  slots_.put_back(*this, slot);
}

void Slots::Share::want(bool more) {
  if (more != wants_) slots_.wanting_ += more ? 1 : -1;
  wants_ = more;
}

void Slots::enter(Share& share) {
  ++runs_;
  share.previous_ = newest_;
  (newest_ == nullptr ? oldest_ : newest_->next_) = &share;
  newest_ = &share;
}

void Slots::leave(Share& share) {
  --runs_;
  (share.previous_ == nullptr ? oldest_ : share.previous_->next_) = share.next_;
  (share.next_ == nullptr ? newest_ : share.next_->previous_) = share.previous_;
}

int Slots::take(Share& share) {
  const int slot = free_.back();
  free_.pop_back();
  owner_[static_cast<size_t>(slot)] = &share;
  ++share.held_;
  return slot;
}

void Slots::put_back(Share& share, int slot) {
  --share.held_;
  owner_[static_cast<size_t>(slot)] = nullptr;
  free_.insert(std::upper_bound(free_.begin(), free_.end(), slot, std::greater<>()), slot);
  if (waiting_ == 0) return;
  // Nothing is ever free while somebody waits: the first of them has it before he wakes up.
  Share* first = oldest_;
  while (first->held_ > 0) first = first->next_;
  --waiting_;
  first->first_ = take(*first);
  first->served_.notify_one();
}

int Slots::fair_share() const {
  return std::max(static_cast<int>(owner_.size()) / runs_, 1);
}

bool Slots::wanted_by_another(const Share& share) const {
  const int fair = fair_share();
  for (const Share* other = oldest_; other != nullptr; other = other->next_) {
    if (other != &share && other->wants_ && other->held_ < fair) return true;
  }
  return false;
}

}  // namespace headway
