// The worker pool: one lasting OpenMP region whose threads sleep until a run claims them.
//
// Why a lasting region: libgomp ties its threads to the thread that opened the region and hangs in
// a forked child of such a thread. Here the region belongs to a thread of our own, so that callers
// may come and go, run at the same time on parts of the pool, and fork.
#include "engine/runtime/parallel.hpp"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/platform/cpu.hpp"
#include "engine/runtime/spin.hpp"

namespace headway {
namespace {

// What a run hands to its workers. Lives on the caller's stack.
struct Job {
  FunctionRef<void(Team&)> body;
  TeamState& team;

  void run(int rank) {
    try {
      Team view(team, rank);
      body(view);
    } catch (...) {
      team.keep_error(std::current_exception());
    }
  }
};

struct Worker {
  std::atomic<uint32_t> given{0};  // jobs handed to this worker
  std::atomic<uint32_t> done{0};   // jobs it has returned from
  Job* job = nullptr;
  int rank = 0;
  Worker* next = nullptr;  // in the list of idle workers, or of those that one run claimed
};

// How many of `count` threads the system will start. It has to be tried: libgomp ends the process
// when a thread is refused (a limit on processes or on memory). Twice as many are tried, since
// those that have ended may count for a moment longer.
int startable(int count) {
  std::vector<std::thread> threads;
  std::atomic<bool> held{true};
  try {
    threads.reserve(2 * static_cast<size_t>(count));
    while (threads.size() < threads.capacity()) threads.emplace_back([&] { held.wait(true); });
  } catch (const std::exception&) {
  }
  held = false;
  held.notify_all();
  for (std::thread& thread : threads) thread.join();
  return static_cast<int>(threads.size() / 2);
}

class Pool {
 public:
  // Claims up to `wanted` idle workers, as far as cores are free for them besides the caller, who
  // counts as active from here on. Sets `count`; returns a list.
  Worker* claim(int wanted, int& count) {
    std::unique_lock lock(mutex_);
    ++callers_;
    const int free = std::max(cores_, wanted + 1) - callers_ - busy_;
    const int take = std::clamp(free, 0, wanted);
    // Booked at once, so that others see these cores as taken while workers start.
    busy_ += take;
    if (busy_ > expected_) grow(lock, busy_ - expected_);
    Worker* claimed = nullptr;
    for (count = 0; count < take && idle_ != nullptr; ++count) {
      Worker* worker = idle_;
      idle_ = worker->next;
      worker->next = claimed;
      claimed = worker;
    }
    busy_ -= take - count;
    return claimed;
  }

  // The caller of claim() and all its workers are done.
  void give_back(Worker* claimed) {
    std::lock_guard lock(mutex_);
    --callers_;
    while (claimed != nullptr) {
      Worker* worker = claimed;
      claimed = worker->next;
      worker->next = idle_;
      idle_ = worker;
      --busy_;
    }
  }

  int workers() {
    std::lock_guard lock(mutex_);
    return workers_;
  }

 private:
  // Starts up to `count` workers: a thread of our own opens a region that lasts as long as the
  // process. A system that has no more threads to give leaves the pool smaller.
  void grow(std::unique_lock<std::mutex>& lock, int count) {
    count = startable(count);
    if (count == 0) return;
    expected_ += count;
    try {
      std::thread([this, count] {
#pragma omp parallel num_threads(count)
        {
#pragma omp master
          missing(count - omp_get_num_threads());
          serve();
        }
      }).detach();
    } catch (const std::exception&) {
      expected_ -= count;
    }
    started_.wait(lock, [&] { return workers_ >= expected_; });
  }

  // OpenMP has given so many threads fewer than asked for.
  void missing(int count) {
    {
      std::lock_guard lock(mutex_);
      expected_ -= count;
    }
    started_.notify_all();
  }

  // A worker's life.
  [[noreturn]] void serve() {
    omp_set_num_threads(1);
    Worker self;
    {
      std::lock_guard lock(mutex_);
      ++workers_;
      self.next = idle_;
      idle_ = &self;
    }
    started_.notify_all();
    for (uint32_t seen = 0;; ++seen) {
      wait_while_equal(self.given, seen);
      self.job->run(self.rank);
      set_and_wake(self.done, seen + 1);
    }
  }

  const int cores_ = default_threads();
  std::mutex mutex_;
  std::condition_variable started_;
  Worker* idle_ = nullptr;
  int workers_ = 0;   // alive
  int expected_ = 0;  // alive or starting
  int callers_ = 0;   // between claim() and give_back()
  int busy_ = 0;      // workers claimed, or booked by a caller that waits for them to start
};

// Never destroyed: its workers sleep in it until the process ends. After fork the child leaves the
// parent's pool where it is, without threads, and makes its own.
std::atomic<Pool*> the_pool{nullptr};
std::mutex pool_mutex;

// Registered before main(): a fork while some thread makes the pool must find the handlers already
// in place, or the child inherits a locked mutex whose owner it does not have.
[[maybe_unused]] const int fork_handlers =
    pthread_atfork([] { pool_mutex.lock(); }, [] { pool_mutex.unlock(); },
                   [] {
                     pool_mutex.unlock();
                     the_pool.store(nullptr, std::memory_order_release);
                   });

Pool& pool() {
  Pool* pool = the_pool.load(std::memory_order_acquire);
  if (pool != nullptr) return *pool;
  std::lock_guard lock(pool_mutex);
  if (the_pool.load(std::memory_order_acquire) == nullptr) {
    the_pool.store(new Pool, std::memory_order_release);
  }
  return *the_pool.load(std::memory_order_acquire);
}

}  // namespace

void run_team(int threads, FunctionRef<void(Team&)> body) {
  Pool& workers = pool();
  int count = 0;
  Worker* claimed = workers.claim(std::max(threads, 1) - 1, count);
  TeamState team(count + 1);
  Job job{body, team};
  int rank = 0;
  for (Worker* worker = claimed; worker != nullptr; worker = worker->next) {
    worker->job = &job;
    worker->rank = ++rank;
    set_and_wake(worker->given, worker->given.load(std::memory_order_relaxed) + 1);
  }
  job.run(0);
  for (Worker* worker = claimed; worker != nullptr; worker = worker->next) {
    wait_while_equal(worker->done, worker->given.load(std::memory_order_relaxed) - 1);
  }
  workers.give_back(claimed);
  team.rethrow();
}

int pool_workers() {
  return pool().workers();
}

OneThreadScope::OneThreadScope() : saved_(omp_get_max_threads()) {
  if (saved_ != 1) omp_set_num_threads(1);
}

OneThreadScope::~OneThreadScope() {
  if (saved_ != 1) omp_set_num_threads(saved_);
}

}  // namespace headway
