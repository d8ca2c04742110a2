// How the runs of an engine share its cores.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <vector>

namespace headway {

// Slots 0 .. count-1, one for each thread that an engine may use: who computes holds one. Runs take
// and give back slots under a lock held for a few instructions; nothing is locked while they
// compute, and nothing is ever allocated.
//
// The rule: a run's fair share is count / (runs that compute or wait), at least 1. A run enters
// with one slot; when there is none it waits in order. It takes more only while they are free and
// nobody who is below the fair share wants them, and what it holds above its own it gives to those
// who wait or want, as soon as a thread of it comes to the end of a group.
class Slots {
 public:
  explicit Slots(int count);

  // The slots of one run; lives on its caller's stack. more() and enough() are for the caller; a
  // thread that helps gives its slot back with yield() or give_back().
  class Share {
   public:
    // Takes the first slot. When none is free: waits in order, or throws Error(busy) when `wait` is
    // false; Error(cancelled) when `stop` fires first.
    Share(Slots& slots, bool wait, const std::stop_token& stop);
    // Gives back what is left.
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // The slot of the caller's own thread: the lowest that was free.
    int first() const { return first_; }
    bool waited() const { return waited_; }
    int held() const;
    // A further slot, or -1 when the rule allows none; the run then counts as one that wants more,
    // until it gets it or says enough().
    int more();
    void enough();
    // Gives `slot` back if another run should have it; returns whether it did.
    bool yield(int slot);
    void give_back(int slot);

   private:
    friend Slots;

    void want(bool more);

    Slots& slots_;
    int first_ = -1;
    bool waited_ = false;
    int held_ = 0;
    bool wants_ = false;
    std::condition_variable served_;
    Share* previous_ = nullptr;  // among the runs, in the order they came
    Share* next_ = nullptr;
  };

  // Whether a run waits for its first slot.
  bool contended() const { return waiting_.load(std::memory_order_relaxed) > 0; }

  // Calls body(slot) for each slot that is free now, while it cannot be taken.
  template <typename Body>
  void for_each_free(const Body& body) {
    std::lock_guard lock(mutex_);
    for (int slot : free_) body(slot);
  }

 private:
  // All of these with the lock held.
  void enter(Share& share);
  void leave(Share& share);
  int take(Share& share);
  void put_back(Share& share, int slot);
  int fair_share() const;
  bool wanted_by_another(const Share& share) const;

  std::mutex mutex_;
  std::vector<int> free_;      // falling, so that low slots, whose memory has grown, come first
  std::vector<Share*> owner_;  // by slot
  Share* oldest_ = nullptr;
  Share* newest_ = nullptr;
  int runs_ = 0;                 // computing or waiting
  std::atomic<int> waiting_{0};  // runs without a slot
  std::atomic<int> wanting_{0};  // runs that want more than they hold
};

}  // namespace headway
