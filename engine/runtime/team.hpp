// A team: threads that execute one function together and share loops.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>

#include "engine/base/function_ref.hpp"
#include "engine/runtime/first_error.hpp"

namespace headway {

// What the threads of a team share. Lives on the stack of the thread that asked for the team.
class TeamState {
 public:
  explicit TeamState(int size) : size_(size) {}

  int size() const { return size_; }

  // Blocks until every thread of the team is here. The last one resets the loop counter and decides
  // for all whether the team has failed: a thread that looked by itself could see an error of the
  // next loop and leave one barrier early.
  void barrier();
  // The next index of the loop under way.
  int64_t claim() { return next_.fetch_add(1, std::memory_order_relaxed); }
  // What the threads throw.
  FirstError& error() { return error_; }
  // Whether something had been thrown at the last barrier.
  bool failed() const { return failed_at_barrier_; }

 private:
  const int size_;
  std::atomic<int64_t> next_{0};
  std::atomic<int> arrived_{0};
  std::atomic<uint32_t> generation_{0};
  FirstError error_;
  bool failed_at_barrier_ = false;
};

// One thread's view of its team. Every thread calls the same for_each in the same order; between
// two of them it may do work of its own that cannot throw.
class Team {
 public:
  // A team of the calling thread alone: loops run in order, nothing is synchronized.
  Team() = default;
  Team(TeamState& state, int rank) : state_(state.size() > 1 ? &state : nullptr), rank_(rank) {}

  int rank() const { return rank_; }
  int size() const { return state_ == nullptr ? 1 : state_->size(); }

  // Loops from now on end with Error(cancelled) once `stop`, which outlives them, is requested:
  // each thread looks before each index. Every thread of the team heeds the same token.
  void heed(const std::stop_token& stop) { stop_ = &stop; }

  // body(i) once for each i in [0, count), on whichever thread is free; returns on every thread
  // when all are done. When a body throws, the remaining indices are skipped and every thread of
  // the team throws that exception.
  template <typename Body>
  void for_each(int64_t count, const Body& body) {
    if (state_ == nullptr) {
      for (int64_t i = 0; i < count; ++i) {
        if (stop_requested()) cancelled();
        body(i);
      }
      return;
    }
    share(count, body);
  }

 private:
  bool stop_requested() const { return stop_ != nullptr && stop_->stop_requested(); }
  [[noreturn]] static void cancelled();
  void share(int64_t count, FunctionRef<void(int64_t)> body);

  TeamState* state_ = nullptr;
  const std::stop_token* stop_ = nullptr;
  int rank_ = 0;
};

}  // namespace headway
