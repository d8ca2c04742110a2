// Loops and barriers of a team.
#include "engine/runtime/team.hpp"

#include "engine/base/message.hpp"
#include "engine/runtime/spin.hpp"

namespace headway {

void TeamState::barrier() {
  const uint32_t generation = generation_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    arrived_.store(0, std::memory_order_relaxed);
    next_.store(0, std::memory_order_relaxed);
    failed_at_barrier_ = error_.kept();
    set_and_wake(generation_, generation + 1);
    return;
  }
  spin_long_while([&] { return generation_.load(std::memory_order_acquire) == generation; });
  sleep_while_equal(generation_, generation);
}

void Team::cancelled() {
  fail(ErrorCode::cancelled, "the call was cancelled");
}

void Team::share(int64_t count, FunctionRef<void(int64_t)> body) {
  try {
    for (int64_t i = state_->claim(); i < count && !state_->error().kept(); i = state_->claim()) {
      if (stop_requested()) cancelled();
      body(i);
    }
  } catch (...) {
    state_->error().keep(std::current_exception());
  }
  state_->barrier();
  if (state_->failed()) state_->error().rethrow();
}

}  // namespace headway
