// Slots: all of them, in order, never twice, no longer than one wants to wait, and in fair shares.
#include "engine/runtime/slots.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <thread>

#include "tests/runtime/deadline.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

constexpr std::chrono::milliseconds kLong{20};

class SlotsTest : public testing::Test {
 protected:
  Deadline deadline_;
};

// A run that does not wait.
std::unique_ptr<Slots::Share> enter(Slots& slots) {
  return std::make_unique<Slots::Share>(slots, false, std::stop_token());
}

// All that it may have now.
std::vector<int> take_more(Slots::Share& share) {
  std::vector<int> taken;
  for (int slot = share.more(); slot >= 0; slot = share.more()) taken.push_back(slot);
  return taken;
}

int free_slots(Slots& slots) {
  int count = 0;
  slots.for_each_free([&](int) { ++count; });
  return count;
}

TEST_F(SlotsTest, gives_what_there_is_lowest_first) {
  Slots slots(4);
  auto run = enter(slots);
  EXPECT_EQ(run->first(), 0);
  EXPECT_EQ(take_more(*run), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(run->held(), 4);
  EXPECT_EQ(free_slots(slots), 0);
  run->give_back(2);
  run->give_back(1);
  EXPECT_EQ(run->more(), 1);
  // The rest comes back when the run ends.
  run.reset();
  EXPECT_EQ(free_slots(slots), 4);
  EXPECT_EQ(enter(slots)->first(), 0);
}

TEST_F(SlotsTest, refuses_who_does_not_wait) {
  Slots slots(1);
  auto run = enter(slots);
  expect_error(ErrorCode::busy, "every slab of the engine is in use", [&] { enter(slots); });
  EXPECT_FALSE(slots.contended());
  run.reset();
  EXPECT_FALSE(enter(slots)->waited());
}

// As long as there are any, so that nothing idles.
TEST_F(SlotsTest, gives_a_run_more_than_its_share_while_nobody_wants_it) {
  Slots slots(4);
  const auto first = enter(slots);
  const auto second = enter(slots);
  EXPECT_EQ(take_more(*first).size(), 2u);
  EXPECT_EQ(first->held(), 3);
  EXPECT_FALSE(first->yield(3));
}

TEST_F(SlotsTest, moves_slots_from_who_has_more_than_its_share_to_who_has_less) {
  Slots slots(6);
  const auto big = enter(slots);
  std::vector<int> spare = take_more(*big);
  const auto yield = [&] {
    if (!big->yield(spare.back())) return false;
    spare.pop_back();
    return true;
  };
  EXPECT_FALSE(yield()) << "nobody wants it";
  big->give_back(spare.back());
  spare.pop_back();
  const auto small = enter(slots);
  EXPECT_FALSE(yield()) << "the other one has what it wants";
  ASSERT_EQ(small->more(), -1);
  // 5 and 1: to 3 each, one by one, whoever asks first for what has come free.
  EXPECT_TRUE(yield());
  EXPECT_FALSE(yield()) << "one has been given and not been fetched";
  EXPECT_EQ(big->more(), -1) << "it is for the other";
  EXPECT_GE(small->more(), 0);
  EXPECT_FALSE(yield()) << "the other one has what it wants";
  ASSERT_EQ(small->more(), -1);
  EXPECT_TRUE(yield());
  EXPECT_GE(small->more(), 0);
  EXPECT_EQ(small->held(), 3);
  ASSERT_EQ(small->more(), -1);
  EXPECT_FALSE(yield()) << "both have their share";
  small->enough();
}

TEST_F(SlotsTest, gives_nothing_up_for_who_has_enough) {
  Slots slots(3);
  const auto big = enter(slots);
  const std::vector<int> spare = take_more(*big);
  big->give_back(spare[1]);
  const auto small = enter(slots);
  ASSERT_EQ(small->more(), -1);
  small->enough();
  EXPECT_FALSE(big->yield(spare[0]));
}

// Starts a waiter and returns once it waits.
template <typename Body>
std::jthread waiting(Slots& slots, int number, const Body& body) {
  std::jthread thread(body);
  // contended() says that somebody waits; which number of them, only time can tell.
  while (!slots.contended()) std::this_thread::yield();
  if (number > 1) std::this_thread::sleep_for(kLong);
  return thread;
}

TEST_F(SlotsTest, serves_those_who_wait_in_order) {
  constexpr int kWaiters = 6;
  Slots slots(1);
  auto run = enter(slots);
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::jthread> threads;
  for (int i = 1; i <= kWaiters; ++i) {
    threads.push_back(waiting(slots, i, [&, i] {
      const Slots::Share mine(slots, true, {});
      EXPECT_TRUE(mine.waited());
      std::lock_guard lock(mutex);
      order.push_back(i);
    }));
  }
  run.reset();
  threads.clear();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(slots.contended());
}

TEST_F(SlotsTest, gives_who_waits_what_a_run_has_beyond_its_share) {
  Slots slots(2);
  const auto run = enter(slots);
  const int second = run->more();
  std::atomic<int> got{-1};
  std::jthread waiter = waiting(slots, 1, [&] {
    const Slots::Share mine(slots, true, {});
    got = mine.first();
  });
  EXPECT_EQ(run->more(), -1);
  EXPECT_TRUE(run->yield(second));
  waiter.join();
  EXPECT_EQ(got, second);
  // Its last one a run keeps, whoever waits.
  const int again = run->more();
  waiter = waiting(slots, 1, [&] { const Slots::Share mine(slots, true, {}); });
  EXPECT_TRUE(run->yield(again));
  EXPECT_FALSE(run->yield(run->first()));
}

// Several slots come free at once while several wait, each of whom would take them all.
TEST_F(SlotsTest, gives_each_who_waits_one_before_anybody_gets_two) {
  Slots slots(3);
  auto run = enter(slots);
  take_more(*run);
  std::array<int, 3> held{};
  {
    std::vector<std::jthread> threads;
    std::atomic<int> served{0};
    for (int i = 0; i < 3; ++i) {
      threads.push_back(waiting(slots, i + 1, [&, i] {
        Slots::Share mine(slots, true, {});
        take_more(mine);
        held[static_cast<size_t>(i)] = mine.held();
        ++served;
        while (served < 3) std::this_thread::yield();
      }));
    }
    run.reset();
  }
  EXPECT_EQ(held, (std::array<int, 3>{1, 1, 1}));
  EXPECT_EQ(free_slots(slots), 3);
}

TEST_F(SlotsTest, lets_nobody_overtake_who_waits) {
  Slots slots(1);
  auto run = enter(slots);
  std::atomic<bool> let_go{false};
  std::jthread first = waiting(slots, 1, [&] {
    const Slots::Share mine(slots, true, {});
    while (!let_go) std::this_thread::yield();
  });
  run.reset();
  // Whether or not the first has woken up, the slot is its.
  expect_error(ErrorCode::busy, "in use", [&] { enter(slots); });
  let_go = true;
}

TEST_F(SlotsTest, lets_a_waiter_go_when_its_token_fires) {
  Slots slots(1);
  auto run = enter(slots);
  std::stop_source stop;
  const auto cancelled_share = [&] {
    expect_error(ErrorCode::cancelled, "cancelled while waiting for a slab of the engine",
                 [&] { Slots::Share(slots, true, stop.get_token()); });
  };
  std::atomic<int> cancelled{0}, served{0};
  {
    std::jthread first = waiting(slots, 1, [&] {
      cancelled_share();
      ++cancelled;
    });
    // Stands behind the one that goes, and must still be served.
    std::jthread second = waiting(slots, 2, [&] {
      const Slots::Share mine(slots, true, {});
      ++served;
    });
    stop.request_stop();
    while (cancelled == 0) std::this_thread::yield();
    EXPECT_EQ(served, 0);
    run.reset();
  }
  EXPECT_EQ(served, 1);
  // A token that has fired already.
  run = enter(slots);
  cancelled_share();
  EXPECT_FALSE(slots.contended());
}

TEST_F(SlotsTest, never_gives_a_slot_twice) {
  constexpr int kSlots = 3, kThreads = 8, kRounds = 3000;
  Slots slots(kSlots);
  std::array<std::atomic<int>, kSlots> users{};
  std::atomic<int> clashes{0}, runs{0}, refused{0};
  const auto use = [&](int slot) { clashes += ++users[static_cast<size_t>(slot)] != 1; };
  const auto leave = [&](int slot) { --users[static_cast<size_t>(slot)]; };
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int round = 0; round < kRounds; ++round) {
          std::stop_source stop;
          // Most wait, some will not, some change their minds.
          const int kind = (thread + round) % 16;
          std::jthread fickle;
          if (kind == 1) stop.request_stop();
          if (kind == 2 && round % 64 == 2) fickle = std::jthread([&] { stop.request_stop(); });
          try {
            Slots::Share mine(slots, kind != 0, stop.get_token());
            use(mine.first());
            for (const int slot : take_more(mine)) {
              use(slot);
              leave(slot);  // before somebody else has it
              if (!mine.yield(slot)) mine.give_back(slot);
            }
            mine.enough();
            leave(mine.first());
            ++runs;
          } catch (const Error&) {
            ++refused;
          }
        }
      });
    }
  }
  EXPECT_EQ(clashes, 0);
  EXPECT_EQ(runs + refused, kThreads * kRounds);
  EXPECT_EQ(free_slots(slots), kSlots);
  EXPECT_FALSE(slots.contended());
}

}  // namespace
}  // namespace headway
