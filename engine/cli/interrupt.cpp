// A thread that waits for signals and turns them into a stop token.
#include "engine/cli/interrupt.hpp"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "engine/base/message.hpp"
#include "engine/platform/atomic_file.hpp"

namespace headway::cli {
namespace {

constexpr int kNudge = SIGUSR1;           // wakes the main thread from a system call
constexpr long kNudgeNanos = 20'000'000;  // again and again, as one may come just before the call
constexpr int kNudges = 100;              // 2 s

std::atomic<int> caught_signal{0};

std::stop_source& stop_source() {
  // Never destroyed: the waiting thread outlives main.
  static auto* source = new std::stop_source;
  return *source;
}

[[noreturn]] void end_now(int signal) {
  AtomicFile::remove_pending();
  ::_exit(128 + signal);
}

void wait_for_signals(sigset_t signals, pthread_t main_thread) {
  int signal = 0;
  while (::sigwait(&signals, &signal) != 0) {
  }
  caught_signal = signal;
  stop_source().request_stop();
  for (int i = 0; i < kNudges; ++i) {
    ::pthread_kill(main_thread, kNudge);
    const timespec pause{0, kNudgeNanos};
    if (::sigtimedwait(&signals, nullptr, &pause) > 0) break;
  }
  end_now(signal);
}

}  // namespace

void install_interrupts() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction current;
    if (::sigaction(signal, nullptr, &current) == 0 && current.sa_handler != SIG_IGN)
      ::sigaddset(&signals, signal);
  }
  struct sigaction nudge = {};
  nudge.sa_handler = [](int) {};  // without SA_RESTART: the interrupted call returns
  ::sigaction(kNudge, &nudge, nullptr);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread(wait_for_signals, signals, ::pthread_self()).detach();
}

std::stop_token interrupt_token() {
  return stop_source().get_token();
}

int interrupt_signal() {
  return caught_signal;
}

void check_interrupt() {
  if (const int signal = interrupt_signal(); signal != 0)
    fail(ErrorCode::cancelled, "stopped by signal ", signal);
}

}  // namespace headway::cli
