// Flushes denormal numbers to zero for a while: arithmetic on them is some 100 times slower.
#pragma once

#include <cstdint>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace headway {

// From construction to destruction the current thread treats denormal inputs as zero and writes
// zero for denormal results (x86: FTZ and DAZ of MXCSR; aarch64: FZ of FPCR; elsewhere nothing).
// The earlier state comes back, exception flags are left alone. Belongs to the thread that made it.
class FlushDenormals {
 public:
  FlushDenormals() : saved_(state()) { set_state(saved_ | kMask); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
  ~FlushDenormals() { set_state((state() & ~kMask) | (saved_ & kMask)); }

 private:
#if defined(__SSE__)
  using State = uint32_t;
  static constexpr State kMask = 0x8040;  // FTZ | DAZ
  static State state() {
    return _mm_getcsr();
  }
  static void set_state(State state) {
    _mm_setcsr(state);
  }
#elif defined(__aarch64__)
  using State = uint64_t;
  static constexpr State kMask = State{1} << 24;  // FZ
  static State state() {
    State value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void set_state(State state) {
    asm volatile("msr fpcr, %0" : : "r"(state));
  }
#else
  using State = uint32_t;
  static constexpr State kMask = 0;
  static State state() {
    return 0;
  }
  static void set_state(State) {}
#endif

  const State saved_;
};

}  // namespace headway
