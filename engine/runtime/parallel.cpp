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
#include <mutex>
#include <thread>
#include <vector>

#include "engine/platform/cpu.hpp"
#include "engine/runtime/spin.hpp"

namespace headway {
namespace {

struct Worker {
  std::atomic<uint32_t> given{0};  // jobs handed to this worker
  std::atomic<uint32_t> done{0};   // jobs it has returned from
  // The job: one of the two, with this argument.
  const FunctionRef<void(int)>* member = nullptr;  // of a team, whose caller gives the worker back
  Helpers* helpers = nullptr;                      // the worker goes back by itself
  int argument = 0;
  Worker* next = nullptr;  // in the list of idle workers, or of those that one run claimed

  void start() { set_and_wake(given, given.load(std::memory_order_relaxed) + 1); }
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

}  // namespace

class Pool {
 public:
  // A caller that computes takes a core, whatever it claims besides.
  void enter() {
    std::lock_guard lock(mutex_);
    ++callers_;
  }
  void leave() {
    std::lock_guard lock(mutex_);
    --callers_;
  }

  // Claims up to `wanted` idle workers, as far as cores are free for them; `threads` is the most
  // that the caller wants to have in all. Sets `count`; returns a list.
  Worker* claim(int wanted, int threads, int& count) {
    std::unique_lock lock(mutex_);
    const int free = std::max(cores_, threads) - callers_ - busy_;
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

  // The workers of a team are done.
  void give_back(Worker* claimed) {
    std::lock_guard lock(mutex_);
    while (claimed != nullptr) {
      Worker* worker = claimed;
      claimed = worker->next;
      put_back(*worker);
    }
  }

  // Returns once none of the helpers runs, nor touches `helpers`.
  void wait(Helpers& helpers) {
    std::unique_lock lock(mutex_);
    helpers.finished_.wait(lock, [&] { return helpers.running_ == 0; });
  }

  bool short_of_cores(int threads) {
    std::lock_guard lock(mutex_);
    return callers_ + busy_ > std::max(cores_, threads);
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
      spin_while([&] { return self.given.load(std::memory_order_acquire) == seen; });
      sleep_while_equal(self.given, seen);
      if (self.helpers == nullptr) {
        (*self.member)(self.argument);
        set_and_wake(self.done, seen + 1);
      } else {
        self.helpers->run(self.argument);
        self.done.store(seen + 1, std::memory_order_relaxed);  // for who claims the worker next
        help_ended(self);
      }
    }
  }

  void help_ended(Worker& worker) {
    std::lock_guard lock(mutex_);
    put_back(worker);
    Helpers& helpers = *worker.helpers;
    if (--helpers.running_ == 0) helpers.finished_.notify_one();
  }

  void put_back(Worker& worker) {
    worker.next = idle_;
    idle_ = &worker;
    --busy_;
  }

  const int cores_ = default_threads();
  std::mutex mutex_;
  std::condition_variable started_;
  Worker* idle_ = nullptr;
  int workers_ = 0;   // alive
  int expected_ = 0;  // alive or starting
  int callers_ = 0;   // between enter() and leave()
  int busy_ = 0;      // workers claimed, or booked by a caller that waits for them to start
};

namespace {

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
  workers.enter();
  int count = 0;
  Worker* claimed = workers.claim(std::max(threads, 1) - 1, threads, count);
  TeamState team(count + 1);
  const auto member = [&](int rank) {
    try {
      Team view(team, rank);
      body(view);
    } catch (...) {
      team.error().keep(std::current_exception());
    }
  };
  const FunctionRef<void(int)> work(member);
  int rank = 0;
  for (Worker* worker = claimed; worker != nullptr; worker = worker->next) {
    worker->member = &work;
    worker->helpers = nullptr;
    worker->argument = ++rank;
    worker->start();
  }
  member(0);
  for (Worker* worker = claimed; worker != nullptr; worker = worker->next) {
    const uint32_t before = worker->given.load(std::memory_order_relaxed) - 1;
    spin_long_while([&] { return worker->done.load(std::memory_order_acquire) == before; });
    sleep_while_equal(worker->done, before);
  }
  workers.give_back(claimed);
  workers.leave();
  team.error().rethrow();
}

Helpers::Helpers(FunctionRef<void(int)> body, int threads)
    : pool_(pool()), threads_(threads), body_(body) {
  pool_.enter();
}

Helpers::~Helpers() {
  wait();
  pool_.leave();
}

void Helpers::run(int argument) {
  try {
    body_(argument);
  } catch (...) {
    error_.keep(std::current_exception());
  }
}

size_t Helpers::start(std::span<const int> arguments) {
  if (arguments.empty()) return 0;
  int count = 0;
  Worker* claimed = pool_.claim(static_cast<int>(arguments.size()), threads_, count);
  running_ += count;
  size_t started = 0;
  for (Worker *worker = claimed, *next; worker != nullptr; worker = next) {
    next = worker->next;  // once it has started, the worker may soon be somebody else's
    worker->helpers = this;
    worker->argument = arguments[started++];
    worker->start();
  }
  return started;
}

void Helpers::join() {
  wait();
  error_.rethrow();
}

// The last helper is mostly done before a sleeping thread would have woken up.
void Helpers::wait() {
  spin_long_while([&] { return running_.load(std::memory_order_acquire) > 0; });
  pool_.wait(*this);
}

bool cores_are_short(int threads) {
  return pool().short_of_cores(threads);
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
