// Loops that a team shares: every index once, loops in order, errors on every thread.
#include "engine/runtime/team.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/runtime/parallel.hpp"
#include "headway/error.hpp"
#include "tests/runtime/deadline.hpp"

namespace headway {
namespace {

using Counts = std::vector<std::atomic<int>>;

bool all_are(const Counts& counts, int expected) {
  for (const std::atomic<int>& count : counts) {
    if (count != expected) return false;
  }
  return true;
}

class TeamOf : public testing::TestWithParam<int> {
 protected:
  // Runs `body` on a team of exactly the size under test.
  template <typename Body>
  void run(const Body& body) {
    run_team(GetParam(), [&](Team& team) {
      if (team.size() != GetParam()) throw std::logic_error("the team has another size");
      body(team);
    });
  }

  // Thousands, as far as few cores allow.
  static int rounds() { return GetParam() > 5 ? 1000 : 4000; }

  Deadline deadline_;
};

TEST_P(TeamOf, visits_each_index_once) {
  for (const int64_t count : {0, 1, 2, 3, 7, 100, 5000}) {
    Counts visits(static_cast<size_t>(count));
    run([&](Team& team) {
      team.for_each(count, [&](int64_t i) { ++visits.at(static_cast<size_t>(i)); });
      // Whoever is here sees the whole loop done.
      if (!all_are(visits, 1)) throw std::logic_error("left the loop early");
    });
    EXPECT_TRUE(all_are(visits, 1)) << count;
  }
}

// Each step needs all of the one before, as the steps of a program do.
TEST_P(TeamOf, keeps_the_order_of_loops) {
  constexpr int kLoops = 1000;
  std::vector<int> values(13);
  std::atomic<int> mistakes{0};
  run([&](Team& team) {
    for (int loop = 0; loop < kLoops; ++loop) {
      team.for_each(13, [&](int64_t i) {
        mistakes += values[static_cast<size_t>(i)] != loop;
        values[static_cast<size_t>(i)] = loop + 1;
      });
      team.for_each(loop % 3, [&](int64_t i) {
        mistakes += values[static_cast<size_t>(12 - i)] != loop + 1;
      });
    }
  });
  EXPECT_EQ(mistakes, 0);
  EXPECT_EQ(values, std::vector<int>(13, kLoops));
}

TEST_P(TeamOf, gives_an_exception_to_every_thread_and_the_caller) {
  std::mt19937 random(1);
  const auto below = [&](size_t limit) { return static_cast<int64_t>(random() % limit); };
  for (int round = 0; round < rounds(); ++round) {
    constexpr int64_t kLoops = 4, kCount = 9;
    const int64_t bad_loop = below(kLoops), bad_index = below(kCount);
    // Sometimes a second one throws too.
    const int64_t other_index = below(2) == 0 ? below(kCount) : -1;
    std::atomic<int> caught{0}, went_on{0};
    try {
      run([&](Team& team) {
        for (int64_t loop = 0; loop < kLoops; ++loop) {
          try {
            team.for_each(kCount, [&](int64_t i) {
              if (loop == bad_loop && (i == bad_index || i == other_index))
                throw std::runtime_error("loop " + std::to_string(loop));
            });
          } catch (const std::runtime_error& error) {
            caught += error.what() == "loop " + std::to_string(bad_loop) && loop == bad_loop;
            throw;
          }
          went_on += loop >= bad_loop;
        }
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      ASSERT_EQ(error.what(), "loop " + std::to_string(bad_loop));
    }
    ASSERT_EQ(caught, GetParam());
    ASSERT_EQ(went_on, 0);
  }
}

TEST_P(TeamOf, skips_indices_after_an_exception) {
  std::atomic<int64_t> visited{0};
  constexpr int64_t kCount = 100'000'000;
  EXPECT_THROW(run([&](Team& team) {
                 team.for_each(kCount, [&](int64_t i) {
                   ++visited;
                   if (i == 10) throw std::runtime_error("enough");
                 });
               }),
               std::runtime_error);
  EXPECT_LT(visited, kCount / 2);
}

// Requested by one thread between loops, or within one.
TEST_P(TeamOf, a_stop_throws_on_every_thread) {
  for (int round = 0; round < rounds(); ++round) {
    std::stop_source source;
    const std::stop_token token = source.get_token();
    std::atomic<int> caught{0}, went_on{0};
    const auto stopping = [&](Team& team) {
      team.heed(token);
      for (int loop = 0; loop < 3; ++loop) {
        try {
          if (round % 2 == 0 && loop == 1 && team.rank() == round % GetParam())
            source.request_stop();
          team.for_each(5, [&](int64_t i) {
            if (round % 2 == 1 && loop == 1 && i == 0) source.request_stop();
          });
          // What is left of this loop may be done by then.
          if (loop == 1) team.for_each(GetParam(), [](int64_t) {});
        } catch (const Error& error) {
          caught += error.code() == ErrorCode::cancelled;
          throw;
        }
        went_on += loop == 1;
      }
    };
    EXPECT_THROW(run(stopping), Error);
    ASSERT_EQ(caught, GetParam());
    ASSERT_EQ(went_on, 0);
  }
}

TEST_P(TeamOf, a_stop_after_the_last_loop_is_too_late) {
  std::stop_source source;
  const std::stop_token token = source.get_token();
  run([&](Team& team) {
    team.heed(token);
    team.for_each(3, [](int64_t) {});
    source.request_stop();
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, TeamOf, testing::Values(1, 2, 5, 16),
                         testing::PrintToStringParamName());

TEST(TeamOfNobodyElse, runs_loops_in_order) {
  Team team;
  EXPECT_EQ(team.size(), 1);
  EXPECT_EQ(team.rank(), 0);
  std::vector<int64_t> seen;
  team.for_each(4, [&](int64_t i) { seen.push_back(i); });
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1, 2, 3}));
  std::stop_source source;
  const std::stop_token token = source.get_token();
  team.heed(token);
  EXPECT_THROW(team.for_each(4,
                             [&](int64_t i) {
                               if (i == 1) source.request_stop();
                               seen.push_back(i);
                             }),
               Error);
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1, 2, 3, 0, 1}));
}

}  // namespace
}  // namespace headway
