// Groups by cost.
#include "engine/runtime/schedule.hpp"

#include <algorithm>
#include <numeric>

namespace headway {
namespace {

// Appends consecutive sequences of [first, last) in groups: a group is closed before it would
// exceed `rows_limit` or once it costs `cost_limit`.
void append_groups(std::span<const double> costs, std::span<const int64_t> rows, int64_t first,
                   int64_t last, int64_t rows_limit, double cost_limit,
                   std::vector<Range>& groups) {
  Range group{first, first, 0};
  int64_t group_rows = 0;
  for (int64_t i = first; i < last; ++i) {
    const bool full = group_rows + rows[i] > rows_limit || group.cost + costs[i] > cost_limit;
    if (i > group.first && full) {
      groups.push_back(group);
      group = {i, i, 0};
      group_rows = 0;
    }
    group.last = i + 1;
    group.cost += costs[i];
    group_rows += rows[i];
  }
  if (group.last > group.first) groups.push_back(group);
}

}  // namespace

void make_schedule(std::span<const double> costs, std::span<const int64_t> rows,
                   const ScheduleOptions& options, Schedule& schedule) {
  schedule.inside.clear();
  schedule.across.clear();
  const auto count = static_cast<int64_t>(costs.size());
  const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
  const double unlimited = total + 1;
  // A quarter of a thread's fair share: the last groups then differ by little, and a thread idles
  // for little.
  const double share = total / (4.0 * options.threads);

  if (options.mode == Mode::inside) {
    append_groups(costs, rows, 0, count, options.group_rows * options.threads, unlimited,
                  schedule.inside);
    return;
  }
  if (options.mode == Mode::automatic && options.threads > 1) {
    // Sequences beyond half a thread's fair share would leave the other threads waiting at the end.
    const double too_long = total / (2.0 * options.threads);
    for (int64_t begin = 0, end = 0; begin < count; begin = end) {
      const bool inside = costs[begin] > too_long;
      while (end < count && (costs[end] > too_long) == inside) ++end;
      if (inside) {
        append_groups(costs, rows, begin, end, options.group_rows * options.threads, unlimited,
                      schedule.inside);
      } else {
        append_groups(costs, rows, begin, end, options.group_rows, share, schedule.across);
      }
    }
  } else {
    append_groups(costs, rows, 0, count, options.group_rows,
                  options.threads > 1 ? share : unlimited, schedule.across);
  }
  std::sort(schedule.across.begin(), schedule.across.end(), [](const Range& a, const Range& b) {
    return a.cost != b.cost ? a.cost > b.cost : a.first < b.first;
  });
}

}  // namespace headway
