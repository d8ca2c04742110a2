// The worker pool: who gets which threads, what is left of them, and what a forked child finds.
#include "engine/runtime/parallel.hpp"

#include <gtest/gtest.h>
#include <omp.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engine/platform/cpu.hpp"
#include "tests/runtime/child.hpp"
#include "tests/runtime/deadline.hpp"

namespace headway {
namespace {

int team_size(int threads) {
  int size = 0;
  run_team(threads, [&](Team& team) {
    if (team.rank() == 0) size = team.size();
  });
  return size;
}

long threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A team that computes in the background until it is let go.
class HeldTeam {
 public:
  explicit HeldTeam(int threads)
      : thread_([this, threads] {
          run_team(threads, [this](Team& team) {
            std::unique_lock lock(mutex_);
            size_ = team.size();
            ++arrived_;
            changed_.notify_all();
            changed_.wait(lock, [&] { return let_go_; });
          });
        }) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return size_ > 0 && arrived_ == size_; });
  }
  ~HeldTeam() {
    {
      std::lock_guard lock(mutex_);
      let_go_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  int size() const { return size_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int size_ = 0, arrived_ = 0;
  bool let_go_ = false;
  std::thread thread_;
};

class RunTeam : public testing::Test {
 protected:
  const int cores_ = default_threads();
  Deadline deadline_;
};

TEST_F(RunTeam, gives_the_caller_rank_0_and_each_rank_a_thread) {
  for (const int threads : {1, 2, 5}) {
    std::mutex mutex;
    std::set<int> ranks;
    std::set<std::thread::id> ids;
    const std::thread::id caller = std::this_thread::get_id();
    run_team(threads, [&](Team& team) {
      std::lock_guard lock(mutex);
      ranks.insert(team.rank());
      ids.insert(std::this_thread::get_id());
      EXPECT_EQ(team.rank() == 0, std::this_thread::get_id() == caller);
      EXPECT_EQ(team.size(), threads);
    });
    EXPECT_EQ(ranks.size(), static_cast<size_t>(threads));
    EXPECT_EQ(*ranks.begin(), 0);
    EXPECT_EQ(*ranks.rbegin(), threads - 1);
    EXPECT_EQ(ids.size(), static_cast<size_t>(threads));
  }
}

TEST_F(RunTeam, takes_less_than_one_thread_for_one) {
  EXPECT_EQ(team_size(0), 1);
  EXPECT_EQ(team_size(-3), 1);
}

TEST_F(RunTeam, leaves_a_second_caller_alone_when_the_first_has_the_cores) {
  {
    const HeldTeam first(cores_);
    ASSERT_EQ(first.size(), cores_);
    EXPECT_EQ(team_size(cores_), 1);
    const HeldTeam second(cores_);
    EXPECT_EQ(second.size(), 1);
  }
  EXPECT_EQ(team_size(cores_), cores_) << "the cores were not given back";
}

// The first asks for one thread more than there are cores, the second for three: one of those is
// free, and a fresh pool has to start it.
TEST_F(RunTeam, gives_a_second_caller_what_the_first_leaves) {
  const int status = status_of_child([this] {
    const HeldTeam first(cores_ + 1);
    return first.size() == cores_ + 1 ? team_size(cores_ + 3) : 100;
  });
  EXPECT_TRUE(exited_with(status, 2)) << "status " << status;
}

// In fresh children, since only a pool that still has to start its workers is slow enough.
TEST_F(RunTeam, books_cores_before_the_workers_have_started) {
  for (int round = 0; round < 20; ++round) {
    const int status = status_of_child([] {
      constexpr int kThreads = 12, kCallers = 3;
      std::atomic<int> ready{0}, sizes{0};
      std::vector<std::thread> callers;
      for (int i = 0; i < kCallers; ++i) {
        callers.emplace_back([&] {
          ++ready;
          while (ready < kCallers) std::this_thread::yield();
          run_team(kThreads, [&](Team& team) {
            if (team.rank() != 0) return;
            // All hold their teams at the same time.
            sizes += team.size();
            ++ready;
            while (ready < 2 * kCallers) std::this_thread::yield();
          });
        });
      }
      for (std::thread& caller : callers) caller.join();
      // Callers that find nothing free are alone beside a full house.
      return sizes <= kThreads + kCallers - 1 ? 0 : 1;
    });
    ASSERT_TRUE(exited_with(status, 0)) << "status " << status << " in round " << round;
  }
}

TEST_F(RunTeam, throws_what_any_thread_threw) {
  for (int round = 0; round < 1000; ++round) {
    const int bad = round % 5;
    try {
      run_team(5, [&](Team& team) {
        if (team.rank() == bad) throw std::runtime_error(std::to_string(bad));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), std::to_string(bad));
    }
  }
  EXPECT_EQ(team_size(5), 5);
}

TEST_F(RunTeam, by_many_short_lived_callers_leaves_no_threads) {
  team_size(cores_ + 1);
  const long threads = threads_of_this_process();
  const int workers = pool_workers();
  for (int i = 0; i < 50; ++i) std::thread([&] { team_size(cores_ + 1); }).join();
  EXPECT_EQ(pool_workers(), workers);
  EXPECT_EQ(threads_of_this_process(), threads);

  std::vector<std::thread> callers;
  for (int i = 0; i < 50; ++i) {
    callers.emplace_back([&] {
      for (int run = 0; run < 20; ++run) team_size(cores_);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(pool_workers(), workers);
  EXPECT_EQ(threads_of_this_process(), threads);
}

TEST_F(RunTeam, leaves_workers_asleep) {
  team_size(cores_ + 1);
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_LT(cpu_seconds() - before, 0.01);
}

TEST_F(RunTeam, works_in_a_forked_child_and_in_its_child) {
  ASSERT_EQ(team_size(4), 4);
  const int status = status_of_child([] {
    if (pool_workers() != 0) return 1;
    if (team_size(3) != 3 || pool_workers() != 2) return 2;
    const int inner =
        status_of_child([] { return team_size(4) == 4 && team_size(2) == 2 ? 0 : 1; });
    return exited_with(inner, 0) ? 0 : 3;
  });
  EXPECT_TRUE(exited_with(status, 0)) << "status " << status;
  EXPECT_EQ(team_size(4), 4);
}

TEST_F(RunTeam, works_in_a_child_forked_while_the_parent_computes) {
  const HeldTeam busy(cores_ + 2);
  for (int round = 0; round < 5; ++round) {
    const int status = status_of_child([] { return team_size(2) == 2 ? 0 : 1; });
    EXPECT_TRUE(exited_with(status, 0)) << "status " << status;
  }
}

// Forks that come while other threads go in and out of the pool find it in one piece.
TEST_F(RunTeam, works_in_children_forked_at_any_time) {
  std::atomic<bool> done{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      while (!done) team_size(3);
    });
  }
  for (int round = 0; round < 30; ++round) {
    const int status = status_of_child([] { return team_size(2) == 2 ? 0 : 1; });
    EXPECT_TRUE(exited_with(status, 0)) << "status " << status;
  }
  done = true;
  for (std::thread& caller : callers) caller.join();
}

// libgomp would end the process.
TEST_F(RunTeam, makes_do_with_the_threads_that_the_system_grants) {
  const int status = status_of_child([] {
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    rlimit stack;
    getrlimit(RLIMIT_STACK, &stack);
    // Room for the stacks of some ten threads.
    const rlim_t size = stack.rlim_cur == RLIM_INFINITY ? 2 << 20 : stack.rlim_cur;
    const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + 10 * size;
    const rlimit memory{limit, limit};
    setrlimit(RLIMIT_AS, &memory);
    for (int run = 0; run < 3; ++run) {
      const int size = team_size(64);
      if (size < 2 || size > 40) return size;
    }
    return 0;
  });
  EXPECT_TRUE(exited_with(status, 0)) << "status " << status;
}

// Keeps helpers where they are until it is opened, and counts them.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++inside_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    --inside_;
  }
  void wait_for(int inside) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return inside_ == inside; });
  }
  void open() {
    {
      std::lock_guard lock(mutex_);
      open_ = true;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool open_ = false;
};

using HelpersTest = RunTeam;

TEST_F(HelpersTest, come_and_go_while_the_caller_computes) {
  for (int round = 0; round < 200; ++round) {
    std::array<std::atomic<int>, 4> calls{};
    const std::thread::id caller = std::this_thread::get_id();
    const auto body = [&](int argument) {
      EXPECT_NE(std::this_thread::get_id(), caller);
      ++calls[static_cast<size_t>(argument)];
    };
    Helpers helpers(5, body);
    constexpr std::array<int, 2> kFirst{0, 1}, kLater{2, 3};
    EXPECT_EQ(helpers.start(kFirst), 2u);
    EXPECT_EQ(helpers.start(kLater), 2u);
    helpers.join();
    for (const auto& count : calls) EXPECT_EQ(count, 1);
    EXPECT_EQ(helpers.start({}), 0u);
    EXPECT_EQ(helpers.start(kFirst), 2u);  // waited for by the destructor
  }
  EXPECT_EQ(team_size(5), 5) << "somebody has not come back";
}

TEST_F(HelpersTest, are_only_as_many_as_cores_are_free) {
  Gate gate;
  const auto pass = [&](int) { gate.pass(); };
  Helpers helpers(cores_, pass);
  const std::vector<int> arguments(static_cast<size_t>(cores_) + 3);
  EXPECT_EQ(helpers.start(arguments), static_cast<size_t>(cores_) - 1);
  gate.wait_for(cores_ - 1);
  EXPECT_EQ(helpers.start(arguments), 0u);
  std::thread([&] {
    EXPECT_EQ(team_size(cores_), 1);
    Helpers others(cores_, pass);
    EXPECT_EQ(others.start(arguments), 0u);
  }).join();
  gate.open();
}

TEST_F(HelpersTest, hand_over_what_they_throw) {
  for (int round = 0; round < 500; ++round) {
    std::atomic<int> calls{0};
    const auto body = [&](int argument) {
      ++calls;
      if (argument == round % 3) throw std::runtime_error(std::to_string(argument));
    };
    Helpers helpers(4, body);
    constexpr std::array<int, 3> kArguments{0, 1, 2};
    ASSERT_EQ(helpers.start(kArguments), 3u);
    try {
      helpers.join();
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), std::to_string(round % 3));
    }
    EXPECT_EQ(calls, 3);
  }
}

TEST(OneThreadScope, holds_regions_of_this_thread_to_one_thread_and_restores) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(7);
  {
    const OneThreadScope outer;
    EXPECT_EQ(omp_get_max_threads(), 1);
    {
      const OneThreadScope inner;
      EXPECT_EQ(omp_get_max_threads(), 1);
    }
    EXPECT_EQ(omp_get_max_threads(), 1);
    // Others keep theirs.
    std::thread([] { omp_set_num_threads(3); }).join();
    EXPECT_EQ(omp_get_max_threads(), 1);
  }
  EXPECT_EQ(omp_get_max_threads(), 7);
  omp_set_num_threads(before);
}

TEST(OneThreadScope, is_what_workers_live_in) {
  std::atomic<int> others{0}, limits{0};
  run_team(3, [&](Team& team) {
    if (team.rank() == 0) return;
    ++others;
    limits += omp_get_max_threads();
  });
  EXPECT_EQ(others, 2);
  EXPECT_EQ(limits, 2);
}

}  // namespace
}  // namespace headway
