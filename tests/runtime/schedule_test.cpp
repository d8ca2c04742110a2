// Schedules: every sequence once, within the bounds of a group, and no thread idle for long. The
// last by simulation, so that this machine's cores do not matter.
#include "engine/runtime/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <numeric>
#include <queue>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>

namespace headway {
namespace {

using Lengths = std::vector<int64_t>;

// FLOP of all-MiniLM-L6-v2 (6 layers, D = 384): 21.3 million a token, and q k^T and w v for each
// pair of tokens.
double cost(int64_t tokens) {
  const auto t = static_cast<double>(tokens);
  return 21.3e6 * t + 4 * 384 * 6 * t * t;
}

struct Batch {
  explicit Batch(const Lengths& lengths) : rows(lengths) {
    for (const int64_t length : lengths) costs.push_back(cost(length));
  }
  double total() const { return std::accumulate(costs.begin(), costs.end(), 0.0); }

  std::vector<double> costs;
  Lengths rows;
};

Schedule schedule_of(const Batch& batch, int threads, Mode mode = Mode::automatic) {
  Schedule schedule;
  make_schedule(batch.costs, batch.rows, {.threads = threads, .mode = mode}, schedule);
  return schedule;
}

// Fails unless every sequence is in exactly one group, and groups keep their bounds.
void expect_whole(const Batch& batch, const Schedule& schedule, int threads) {
  std::vector<int> visits(batch.rows.size());
  const auto check = [&](const Range& range, int64_t most_rows) {
    ASSERT_LT(range.first, range.last);
    int64_t rows = 0;
    double flop = 0;
    for (int64_t i = range.first; i < range.last; ++i) {
      ++visits.at(static_cast<size_t>(i));
      rows += batch.rows[static_cast<size_t>(i)];
      flop += batch.costs[static_cast<size_t>(i)];
    }
    EXPECT_TRUE(rows <= most_rows || range.last - range.first == 1) << rows;
    EXPECT_NEAR(range.cost, flop, 1e-9 * flop);
  };
  for (const Range& range : schedule.inside) check(range, 512 * threads);
  for (const Range& range : schedule.across) check(range, 512);
  EXPECT_EQ(visits, std::vector<int>(batch.rows.size(), 1));
  EXPECT_TRUE(std::is_sorted(schedule.across.begin(), schedule.across.end(),
                             [](const Range& a, const Range& b) { return a.cost > b.cost; }));
}

int64_t sequences(const std::vector<Range>& ranges) {
  int64_t count = 0;
  for (const Range& range : ranges) count += range.last - range.first;
  return count;
}

// Share of the threads' time that nobody works: `inside` groups are shared without loss, `across`
// groups go to whoever is free first.
double idle_share(const Schedule& schedule, int threads) {
  double inside = 0, across = 0;
  for (const Range& range : schedule.inside) inside += range.cost;
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at;
  for (int i = 0; i < threads; ++i) free_at.push(inside / threads);
  double end = inside / threads;
  for (const Range& range : schedule.across) {
    const double done = free_at.top() + range.cost;
    free_at.pop();
    free_at.push(done);
    end = std::max(end, done);
    across += range.cost;
  }
  return 1 - (inside + across) / (end * threads);
}

// Words of each text and two special tokens, at most 256: near enough to what its tokens are.
Lengths text_lengths() {
  std::ifstream file(HEADWAY_SOURCE_DIR "/bench/data/texts-2000.txt");
  Lengths lengths;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    int64_t count = 2;
    for (std::string word; words >> word;) ++count;
    lengths.push_back(std::min<int64_t>(count, 256));
  }
  if (lengths.size() != 2000) throw std::runtime_error("bench/data/texts-2000.txt has changed");
  return lengths;
}

// One of 8192 tokens, which is two thirds of the work, beside 500 of 10 to 60.
Lengths one_long_among_many() {
  std::mt19937 random(1);
  Lengths lengths;
  for (int i = 0; i < 500; ++i) lengths.push_back(10 + static_cast<int64_t>(random() % 51));
  lengths.insert(lengths.begin() + 123, 8192);
  return lengths;
}

void expect_little_idle(const Lengths& lengths, const char* what) {
  const Batch batch(lengths);
  for (const int threads : {1, 2, 16, 64}) {
    const Schedule schedule = schedule_of(batch, threads);
    SCOPED_TRACE(testing::Message()
                 << what << " on " << threads << " threads: " << schedule.inside.size()
                 << " groups inside, " << schedule.across.size() << " across");
    expect_whole(batch, schedule, threads);
    EXPECT_LE(idle_share(schedule, threads), 0.10);
  }
}

TEST(Schedule, keeps_threads_busy_with_real_texts) {
  Lengths lengths = text_lengths();
  expect_little_idle(lengths, "texts as they come");
  std::sort(lengths.begin(), lengths.end());
  expect_little_idle(lengths, "texts by length");
  std::reverse(lengths.begin(), lengths.end());
  expect_little_idle(lengths, "texts by length, longest first");
}

TEST(Schedule, keeps_threads_busy_with_equal_sequences) {
  expect_little_idle(Lengths(32, 128), "32 x 128");
}

TEST(Schedule, keeps_threads_busy_with_one_long_among_many) {
  expect_little_idle(one_long_among_many(), "one long among 500");
}

// 34 on 16 threads: two each, and two that would keep two threads busy while 14 wait.
TEST(Schedule, shares_what_is_left_over_of_equal_sequences) {
  for (const int64_t tokens : {64, 128, 256})
    for (const int threads : {2, 3, 16, 64})
      for (int count = 1; count <= 6 * threads; ++count) {
        const Batch batch(Lengths(static_cast<size_t>(count), tokens));
        const Schedule schedule = schedule_of(batch, threads);
        SCOPED_TRACE(testing::Message() << count << " x " << tokens << " on " << threads);
        expect_whole(batch, schedule, threads);
        EXPECT_LE(idle_share(schedule, threads), 0.10);
        EXPECT_LE(schedule.inside.size(), 1u);
      }
}

TEST(Schedule, keeps_threads_busy_with_whatever_comes) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    Lengths lengths;
    const uint32_t most = 20 + random() % 500;
    for (uint32_t i = 1 + random() % 400; i > 0; --i) {
      const bool long_one = random() % 50 == 0;
      lengths.push_back(static_cast<int64_t>(1 + random() % (long_one ? 8 * most : most)));
    }
    expect_little_idle(lengths, "random lengths");
  }
}

// Fewer rows than a tile has cost more each.
TEST(Schedule, fills_a_tile_of_the_products) {
  const Batch batch(Lengths(3000, 10));
  for (const int threads : {2, 16, 64}) {
    const Schedule schedule = schedule_of(batch, threads);
    EXPECT_TRUE(schedule.inside.empty());
    int small = 0;
    for (const Range& range : schedule.across) small += (range.last - range.first) * 10 < 64;
    EXPECT_LE(small, 1);
  }
}
// Groups of equal cost, such as 50 of 4 sequences on 12 threads, left a sixth of them idle at the
// end.
TEST(Schedule, makes_groups_smaller_towards_the_end) {
  const Batch batch(Lengths(200, 64));
  for (const int threads : {3, 6, 8, 12, 16}) {
    const Schedule schedule = schedule_of(batch, threads);
    expect_whole(batch, schedule, threads);
    EXPECT_LE(idle_share(schedule, threads), 0.05) << threads;
    EXPECT_LE(schedule.across.size(), 200u);
  }
}

TEST(Schedule, runs_a_long_one_inside_and_the_others_across) {
  const Lengths lengths = one_long_among_many();
  const Batch batch(lengths);
  for (const int threads : {2, 16, 64}) {
    const Schedule schedule = schedule_of(batch, threads);
    ASSERT_FALSE(schedule.inside.empty());
    EXPECT_TRUE(std::any_of(schedule.inside.begin(), schedule.inside.end(), [](const Range& range) {
      return range.first == 123 && range.last == 124;
    }));
    // And a few more where the threads are many.
    EXPECT_LE(sequences(schedule.inside), 1 + threads / 2);
  }
  // Alone there is nobody to share it with.
  EXPECT_TRUE(schedule_of(batch, 1).inside.empty());
}

TEST(Schedule, runs_few_sequences_inside) {
  for (const size_t count : {1, 2, 5, 15}) {
    const Batch batch(Lengths(count, 40));
    const Schedule schedule = schedule_of(batch, 16);
    EXPECT_TRUE(schedule.across.empty()) << count;
    EXPECT_EQ(schedule.inside.size(), 1u);
    expect_whole(batch, schedule, 16);
  }
  EXPECT_TRUE(schedule_of(Batch(Lengths(32, 40)), 16).inside.empty());
}

TEST(Schedule, uses_threads_that_have_enough_to_do) {
  const auto usable = [](const Batch& batch, Mode mode) {
    return usable_threads(batch.costs, batch.rows, mode, 16);
  };
  const auto cheap = [](int64_t tokens, double flop) {
    Batch batch(Lengths{tokens});
    batch.costs[0] = flop;
    return batch;
  };
  EXPECT_EQ(usable(Batch(Lengths{200}), Mode::automatic), 16);
  EXPECT_EQ(usable(cheap(32, 1.9e6), Mode::automatic), 1);
  EXPECT_EQ(usable(cheap(32, 4.1e6), Mode::automatic), 4);
  // A row alone costs as much as 16.
  EXPECT_EQ(usable(cheap(1, 4.1e6 / 16), Mode::automatic), 4);
  EXPECT_EQ(usable(Batch(Lengths{}), Mode::automatic), 1);
  EXPECT_EQ(usable(Batch({0, 0}), Mode::automatic), 1);
  // Who forces a mode gets it, as far as there are sequences to hand out.
  EXPECT_EQ(usable(cheap(1, 1), Mode::inside), 16);
  EXPECT_EQ(usable(cheap(1, 1), Mode::across), 1);
  EXPECT_EQ(usable(Batch({5, 6, 7}), Mode::across), 3);
  EXPECT_EQ(usable(Batch(Lengths(40, 1)), Mode::across), 16);
  EXPECT_EQ(usable(Batch(Lengths{}), Mode::across), 1);
}

TEST(Schedule, does_as_it_is_told) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    Lengths lengths;
    for (uint32_t i = random() % 60; i > 0; --i) {
      const uint32_t most = random() % 10 == 0 ? 3000 : 100;
      lengths.push_back(static_cast<int64_t>(random() % most));  // some of them 0
    }
    const Batch batch(lengths);
    for (const int threads : {1, 2, 3, 16}) {
      const Schedule across = schedule_of(batch, threads, Mode::across);
      EXPECT_TRUE(across.inside.empty());
      expect_whole(batch, across, threads);
      const Schedule inside = schedule_of(batch, threads, Mode::inside);
      EXPECT_TRUE(inside.across.empty());
      expect_whole(batch, inside, threads);
      expect_whole(batch, schedule_of(batch, threads), threads);
    }
  }
}

TEST(Schedule, fills_groups_up_to_their_rows) {
  const Batch batch(Lengths(100, 100));
  // Five of 100 rows in a group of 512.
  EXPECT_EQ(schedule_of(batch, 1).across.size(), 20u);
  // And ten where two threads share it.
  EXPECT_EQ(schedule_of(batch, 2, Mode::inside).inside.size(), 10u);
}

TEST(Schedule, of_nothing_is_empty) {
  for (const Mode mode : {Mode::automatic, Mode::across, Mode::inside}) {
    // Nor is anything left of what the schedule held before.
    Schedule schedule = schedule_of(Batch({10, 2000}), 2);
    make_schedule({}, {}, {.threads = 2, .mode = mode}, schedule);
    EXPECT_TRUE(schedule.inside.empty() && schedule.across.empty());
  }
}

}  // namespace
}  // namespace headway
