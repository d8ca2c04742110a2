// Which sequences run together, on how many threads, in which order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "headway/mode.hpp"

namespace headway {

// Consecutive sequences [first, last) of a batch that go through the program together.
struct Range {
  int64_t first;
  int64_t last;
  double cost;
};

// A run: first `inside` groups one after the other, each shared by the whole team, then `across`
// groups, each on one thread, most expensive first so that the last one handed out is small.
struct Schedule {
  std::vector<Range> inside;
  std::vector<Range> across;
  std::vector<double> free_at;  // when each thread is free, while the groups are planned
};

struct ScheduleOptions {
  int threads = 1;
  Mode mode = Mode::automatic;
  // Rows of one group: enough for the matmul's best rate, few enough for activations to stay in
  // cache.
  int64_t group_rows = 512;
};

// How many of `threads` such a run can use: no more than there are sequences in the mode across,
// and in the automatic mode only so many that each has enough to do.
int usable_threads(std::span<const double> costs, std::span<const int64_t> rows, Mode mode,
                   int threads);

// Fills `schedule` (its memory is used again) for sequences of these costs and rows. In the
// automatic mode those run inside that would leave threads idle for more than a tenth of the time
// if they ran across. A sequence's result does not depend on any of this.
void make_schedule(std::span<const double> costs, std::span<const int64_t> rows,
                   const ScheduleOptions& options, Schedule& schedule);

}  // namespace headway
