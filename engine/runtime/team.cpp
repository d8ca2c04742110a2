// Loops and barriers of a team.
#include "engine/runtime/team.hpp"

#include "engine/runtime/spin.hpp"

namespace headway {

void TeamState::barrier() {
  const uint32_t generation = generation_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    arrived_.store(0, std::memory_order_relaxed);
    next_.store(0, std::memory_order_relaxed);
    failed_at_barrier_ = failing();
    set_and_wake(generation_, generation + 1);
    return;
  }
  wait_while_equal(generation_, generation);
}

void TeamState::keep_error(std::exception_ptr error) {
  std::lock_guard lock(error_mutex_);
  if (error_ == nullptr) error_ = std::move(error);
  failed_.store(true, std::memory_order_release);
}

void TeamState::rethrow() {
  std::lock_guard lock(error_mutex_);
  if (error_ != nullptr) std::rethrow_exception(error_);
}

void Team::share(int64_t count, FunctionRef<void(int64_t)> body) {
  try {
    for (int64_t i = state_->claim(); i < count && !state_->failing(); i = state_->claim()) body(i);
  } catch (...) {
    state_->keep_error(std::current_exception());
  }
  state_->barrier();
  if (state_->failed()) state_->rethrow();
}

}  // namespace headway
