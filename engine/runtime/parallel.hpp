// The process's one pool of worker threads, and the only place that knows OpenMP.
#pragma once

#include "engine/base/function_ref.hpp"
#include "engine/runtime/team.hpp"

namespace headway {

// Runs `body` on a team of at most `threads` threads: the caller, which has rank 0, and workers of
// the process-wide pool. The team is smaller when other callers hold the cores, and the caller
// alone when they hold all: callers never add threads beyond the cores this process may use, unless
// `threads` itself asks for more than there are. Returns when every thread has returned; throws the
// first exception that one of them threw. Works in forked children: the pool starts anew there.
void run_team(int threads, FunctionRef<void(Team&)> body);

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
