// Waiting for an atomic: a bounded spin, then the kernel's futex.
#pragma once

#include <atomic>
#include <cstdint>

namespace headway {

// Tells the core that this is a spin loop.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins while `condition` holds, but only for some microseconds: a barrier of the inside mode is
// usually over sooner than a futex takes to wake a thread (5 to 50 us).
template <typename Condition>
void spin_while(const Condition& condition) {
  constexpr int kSpins = 500;
  for (int i = 0; i < kSpins && condition(); ++i) spin_pause();
}

// Returns once `value` is no longer `old`: spins, then blocks.
inline void wait_while_equal(const std::atomic<uint32_t>& value, uint32_t old) {
  spin_while([&] { return value.load(std::memory_order_acquire) == old; });
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

// Changes `value` and wakes who waits for that. The change must be sequentially consistent:
// notify_all() first looks whether anybody waits, and behind a mere release the processor may look
// before others see the change; a thread that goes to sleep in between would never be woken.
inline void set_and_wake(std::atomic<uint32_t>& value, uint32_t next) {
  value.store(next, std::memory_order_seq_cst);
  value.notify_all();
}

}  // namespace headway
