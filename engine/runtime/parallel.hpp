// The process's one pool of worker threads, and the only place that knows OpenMP.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <span>

#include "engine/base/function_ref.hpp"
#include "engine/runtime/first_error.hpp"
#include "engine/runtime/team.hpp"

namespace headway {

// Runs `body` on a team of at most `threads` threads: the caller, which has rank 0, and workers of
// the process-wide pool. The team is smaller when other callers hold the cores, and the caller
// alone when they hold all: callers never add threads beyond the cores this process may use, unless
// `threads` itself asks for more than there are. Returns when every thread has returned; throws the
// first exception that one of them threw. Works in forked children: the pool starts anew there.
void run_team(int threads, FunctionRef<void(Team&)> body);

class Pool;

// Workers that help the calling thread, each with work it finds by itself: unlike a team they share
// no loops, so they may come and go while the caller computes. Under the same rule about cores.
// Lives on the caller's stack.
class Helpers {
 public:
  // `threads`: the caller and the most helpers it will ever have at a time. Helpers run `body`,
  // which must outlive this; what it throws ends that helper.
  template <typename Body>
  Helpers(int threads, Body& body) : Helpers(FunctionRef<void(int)>(body), threads) {}
  // Waits for all that still run.
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  // Starts body(argument) for the first of `arguments`, for as many as workers are free; returns
  // their number.
  size_t start(std::span<const int> arguments);
  // Waits for all that run; throws the first exception that one of them threw.
  void join();

 private:
  friend Pool;

  Helpers(FunctionRef<void(int)> body, int threads);
  void run(int argument);
  void wait();

  Pool& pool_;
  const int threads_;
  const FunctionRef<void(int)> body_;
  std::atomic<int> running_{0};
  std::condition_variable finished_;
  FirstError error_;
};

// Whether more threads compute than there are cores, or than `threads` if that is more: callers
// have come, perhaps of other engines, since helpers started. Then these should leave.
bool cores_are_short(int threads);

// Worker threads the pool has now.
int pool_workers();

// While it lives, OpenMP regions opened by libraries under us from this thread (oneDNN's) have one
// thread. Headway alone splits work.
class OneThreadScope {
 public:
  OneThreadScope();
  ~OneThreadScope();
  OneThreadScope(const OneThreadScope&) = delete;
  OneThreadScope& operator=(const OneThreadScope&) = delete;

 private:
  int saved_;
};

}  // namespace headway
