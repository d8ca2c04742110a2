// Slots: all of them, in order, never twice, and no longer than one wants to wait.
#include "engine/runtime/slots.hpp"

#include <array>
#include <chrono>
#include <set>
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

std::vector<int> take(Slots& slots, size_t most, bool wait = true,
                      const std::stop_token& stop = {}) {
  std::vector<int> taken(most, -1);
  taken.resize(static_cast<size_t>(slots.take(taken, wait, stop)));
  return taken;
}

int free_slots(Slots& slots) {
  int count = 0;
  slots.for_each_free([&](int) { ++count; });
  return count;
}

TEST_F(SlotsTest, gives_what_there_is) {
  Slots slots(3);
  const std::vector<int> two = take(slots, 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(free_slots(slots), 1);
  const std::vector<int> rest = take(slots, 5);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ((std::set<int>{two[0], two[1], rest[0]}), (std::set<int>{0, 1, 2}));
  EXPECT_EQ(free_slots(slots), 0);
  slots.give_back(two[1]);
  // The one used last, whose memory is still in cache.
  slots.give_back(two[0]);
  EXPECT_EQ(take(slots, 1), std::vector<int>{two[0]});
}

TEST_F(SlotsTest, refuses_who_does_not_wait) {
  Slots slots(1);
  const int slot = take(slots, 1, false)[0];
  expect_error(ErrorCode::busy, "every slab of the engine is in use",
               [&] { take(slots, 1, false); });
  EXPECT_FALSE(slots.contended());
  slots.give_back(slot);
  EXPECT_EQ(take(slots, 1, false).size(), 1u);
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
  const int slot = take(slots, 1)[0];
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::jthread> threads;
  for (int i = 1; i <= kWaiters; ++i) {
    threads.push_back(waiting(slots, i, [&, i] {
      const int mine = take(slots, 1)[0];
      {
        std::lock_guard lock(mutex);
        order.push_back(i);
      }
      slots.give_back(mine);
    }));
  }
  slots.give_back(slot);
  threads.clear();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(slots.contended());
}

// Several slots come free at once while several wait, each of whom would take them all.
TEST_F(SlotsTest, gives_each_who_waits_one_before_anybody_gets_two) {
  Slots slots(3);
  const std::vector<int> all = take(slots, 3);
  std::array<size_t, 3> counts{};
  {
    std::vector<std::jthread> threads;
    std::atomic<int> served{0};
    for (int i = 0; i < 3; ++i) {
      threads.push_back(waiting(slots, i + 1, [&, i] {
        const std::vector<int> mine = take(slots, 3);
        counts[static_cast<size_t>(i)] = mine.size();
        ++served;
        while (served < 3) std::this_thread::yield();
        for (const int slot : mine) slots.give_back(slot);
      }));
    }
    for (const int slot : all) slots.give_back(slot);
  }
  EXPECT_EQ(counts, (std::array<size_t, 3>{1, 1, 1}));
  EXPECT_EQ(free_slots(slots), 3);
}

TEST_F(SlotsTest, lets_nobody_overtake_who_waits) {
  Slots slots(1);
  const int slot = take(slots, 1)[0];
  std::atomic<bool> let_go{false};
  std::jthread first = waiting(slots, 1, [&] {
    const int mine = take(slots, 1)[0];
    while (!let_go) std::this_thread::yield();
    slots.give_back(mine);
  });
  slots.give_back(slot);
  // Whether or not the first has woken up, the slot is promised.
  expect_error(ErrorCode::busy, "in use", [&] { take(slots, 1, false); });
  let_go = true;
}

TEST_F(SlotsTest, lets_a_waiter_go_when_its_token_fires) {
  Slots slots(1);
  const int slot = take(slots, 1)[0];
  std::stop_source stop;
  std::atomic<int> cancelled{0}, served{0};
  {
    std::jthread first = waiting(slots, 1, [&] {
      expect_error(ErrorCode::cancelled, "cancelled while waiting for a slab of the engine",
                   [&] { take(slots, 1, true, stop.get_token()); });
      ++cancelled;
    });
    // Stands behind the one that goes, and must still be served.
    std::jthread second = waiting(slots, 2, [&] {
      const int mine = take(slots, 1)[0];
      ++served;
      slots.give_back(mine);
    });
    stop.request_stop();
    while (cancelled == 0) std::this_thread::yield();
    EXPECT_EQ(served, 0);
    slots.give_back(slot);
  }
  EXPECT_EQ(served, 1);
  // A token that has fired already.
  take(slots, 1);
  expect_error(ErrorCode::cancelled, "cancelled", [&] { take(slots, 1, true, stop.get_token()); });
  EXPECT_FALSE(slots.contended());
}

TEST_F(SlotsTest, never_gives_a_slot_twice) {
  constexpr int kSlots = 3, kThreads = 8, kRounds = 3000;
  Slots slots(kSlots);
  std::array<std::atomic<int>, kSlots> users{};
  std::atomic<int> clashes{0}, runs{0}, refused{0};
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int round = 0; round < kRounds; ++round) {
          std::stop_source stop;
          // Most wait, some will not, some change their minds.
          const int kind = (thread + round) % 16;
          if (kind == 1) stop.request_stop();
          try {
            const std::vector<int> mine =
                take(slots, 1 + static_cast<size_t>(round) % 3, kind != 0, stop.get_token());
            for (const int slot : mine) clashes += ++users[static_cast<size_t>(slot)] != 1;
            for (const int slot : mine) {
              --users[static_cast<size_t>(slot)];
              slots.give_back(slot);
            }
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
