// What the check for data races is checked with: a race that must be reported, and a program
// without one that only Archer sees to be right.
#include <omp.h>

#include <atomic>
#include <cstdio>
#include <string_view>
#include <thread>

#include "engine/runtime/parallel.hpp"

namespace {

// Two threads of a team write one number, with nothing between them that orders the writes for
// others: a relaxed flag only keeps them apart in time, since the sanitizer notes accesses without
// locks and misses two that truly meet.
int race() {
  int number = 0;
  std::atomic<bool> written{false};
  headway::run_team(2, [&](headway::Team& team) {
    if (team.rank() == 1)
      while (!written.load(std::memory_order_relaxed)) std::this_thread::yield();
    number += 1 + team.rank();
    written.store(true, std::memory_order_relaxed);
  });
  return number;
}

// One thread writes, the other reads after OpenMP's barrier, which the sanitizer does not see.
int barrier() {
  int written = 0, read = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) written = 1;
#pragma omp barrier
    if (omp_get_thread_num() == 1) read = written;
  }
  return read;
}

}  // namespace

// control start|race|barrier
int main(int, char** argv) {
  const std::string_view name = argv[1];
  std::printf("%d\n", name == "race" ? race() : name == "barrier" ? barrier() : 0);
}
