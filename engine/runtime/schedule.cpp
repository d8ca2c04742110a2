// Groups by cost.
#include "engine/runtime/schedule.hpp"

#include <algorithm>
#include <numeric>

namespace headway {
namespace {

// Cuts consecutive sequences into groups.
struct Cutter {
  std::span<const double> costs;
  std::span<const int64_t> rows;
  int64_t most_rows;
  double share;      // of what is not in a group yet, the most that a group may cost
  double remaining;  // cost of what is not in a group yet

  // Appends [first, last) to `groups`. A single sequence may exceed the limits.
  void cut(int64_t first, int64_t last, std::vector<Range>& groups) {
    Range group{first, first, 0};
    int64_t group_rows = 0;
    const auto close = [&](int64_t next) {
      if (group.last > group.first) groups.push_back(group);
      remaining -= group.cost;
      group = {next, next, 0};
      group_rows = 0;
    };
    for (int64_t i = first; i < last; ++i) {
      if (group_rows + rows[i] > most_rows || group.cost + costs[i] > share * remaining) close(i);
      group.last = i + 1;
      group.cost += costs[i];
      group_rows += rows[i];
    }
    close(last);
  }
};

}  // namespace

void make_schedule(std::span<const double> costs, std::span<const int64_t> rows,
                   const ScheduleOptions& options, Schedule& schedule) {
  schedule.inside.clear();
  schedule.across.clear();
  const auto count = static_cast<int64_t>(costs.size());
  const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
  const bool alone = options.threads == 1;

  // Sequences beyond half a thread's fair share would leave the other threads waiting at the end.
  const double too_long = options.mode == Mode::inside ? -1
                          : options.mode == Mode::automatic && !alone
                              ? total / (2.0 * options.threads)
                              : total + 1;
  const auto is_inside = [&](int64_t i) { return costs[i] > too_long; };
  double inside_cost = 0;
  for (int64_t i = 0; i < count; ++i) inside_cost += is_inside(i) ? costs[i] : 0;

  constexpr double kNoLimit = 2;  // more than all there is, also after rounding
  Cutter inside{costs, rows, options.group_rows * options.threads, kNoLimit, inside_cost};
  // Half a thread's fair share of what is left: groups become smaller towards the end, where the
  // threads then differ by little.
  Cutter across{costs, rows, options.group_rows, alone ? kNoLimit : 1 / (2.0 * options.threads),
                total - inside_cost};
  for (int64_t begin = 0, end = 0; begin < count; begin = end) {
    const bool together = is_inside(begin);
    while (end < count && is_inside(end) == together) ++end;
    together ? inside.cut(begin, end, schedule.inside) : across.cut(begin, end, schedule.across);
  }
  std::sort(schedule.across.begin(), schedule.across.end(), [](const Range& a, const Range& b) {
    return a.cost != b.cost ? a.cost > b.cost : a.first < b.first;
  });
}

}  // namespace headway
