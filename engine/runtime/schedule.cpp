// Groups by cost.
#include "engine/runtime/schedule.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>

namespace headway {
namespace {

// Rows of the products' largest tile.
constexpr int64_t kTileRows = 64;

// Of the threads' time, an eleventh may be idle: the mode inside loses about as much (two threads:
// 1.9 times as fast as one in f32, 1.8 in int8).
constexpr double kIdle = 0.1;

// Cuts consecutive sequences into groups.
struct Cutter {
  std::span<const double> costs;
  std::span<const int64_t> rows;
  int64_t most_rows = 0;
  int64_t least_rows = 0;  // where there are more sequences to take
  // A sequence that costs more is a group of its own.
  double too_long = std::numeric_limits<double>::infinity();
  double share = 0;  // of what is not in a group yet, the most that another may cost; 0: no limit
  double remaining = 0;  // cost of what is not in a group yet, without those too long

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
      if (costs[i] > too_long) {
        close(i + 1);
        groups.push_back({i, i + 1, costs[i]});
        continue;
      }
      const bool dear =
          share > 0 && group.cost + costs[i] > share * remaining && group_rows >= least_rows;
      if (group_rows + rows[i] > most_rows || dear) close(i);
      group.last = i + 1;
      group.cost += costs[i];
      group_rows += rows[i];
    }
    close(last);
  }
};

// Leaves in `across` the groups that threads finish at about the same time, each taking the next
// one when it is free, and returns where those begin that would keep some threads busy while the
// others idle for longer than `idle` in all: sequences longer than a thread's fair share, what is
// left over of equal ones when the threads have had as many each, all when there are too few.
// `free_at` is memory to use.
std::vector<Range>::iterator balance(std::vector<Range>& across, int threads, double idle,
                                     std::vector<double>& free_at) {
  double total = 0;
  for (const Range& range : across) total += range.cost;
  auto end = across.end();
  for (bool moved = true; moved;) {
    moved = false;
    const double bound = (total + idle) / threads;
    free_at.assign(static_cast<size_t>(threads), 0);
    // Equal zeros are a heap. What fits moves to the front, in its order.
    auto fitting = across.begin();
    for (auto range = across.begin(); range != end; ++range) {
      if (free_at.front() + range->cost > bound) {
        total -= range->cost;
        moved = true;
        continue;
      }
      std::pop_heap(free_at.begin(), free_at.end(), std::greater<>());
      free_at.back() += range->cost;
      std::push_heap(free_at.begin(), free_at.end(), std::greater<>());
      std::swap(*fitting++, *range);
    }
    end = fitting;
  }
  return end;
}

}  // namespace

int usable_threads(std::span<const double> costs, std::span<const int64_t> rows, Mode mode,
                   int threads) {
  if (mode == Mode::inside) return threads;
  if (mode == Mode::across) {
    return static_cast<int>(
        std::clamp<int64_t>(static_cast<int64_t>(costs.size()), 1, static_cast<int64_t>(threads)));
  }
  // FLOP, some 10 us of work. A layer of D = 64 gained nothing from a second thread at 1.3 MFLOP
  // and a fifth at 3.1; waking one up takes that long.
  constexpr double kThreadCost = 1e6;
  // Products compute whole steps of so many rows.
  constexpr int64_t kRowStep = 16;
  const double cost = std::accumulate(costs.begin(), costs.end(), 0.0);
  const int64_t count = std::accumulate(rows.begin(), rows.end(), int64_t{0});
  if (count == 0) return 1;
  const auto padded = static_cast<double>((count + kRowStep - 1) / kRowStep * kRowStep);
  const double useful = cost * (padded / static_cast<double>(count)) / kThreadCost;
  return static_cast<int>(std::clamp(useful, 1.0, static_cast<double>(threads)));
}

void make_schedule(std::span<const double> costs, std::span<const int64_t> rows,
                   const ScheduleOptions& options, Schedule& schedule) {
  std::vector<Range>& inside = schedule.inside;
  std::vector<Range>& across = schedule.across;
  inside.clear();
  across.clear();
  // How many groups there are depends on the threads, which differ from run to run.
  inside.reserve(costs.size());
  across.reserve(costs.size());
  const auto count = static_cast<int64_t>(costs.size());
  const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
  const double idle = kIdle * total;
  const int64_t inside_rows = options.group_rows * options.threads;
  if (options.mode == Mode::inside) {
    Cutter{.costs = costs, .rows = rows, .most_rows = inside_rows}.cut(0, count, inside);
    return;
  }

  const bool balanced = options.mode == Mode::automatic && options.threads > 1;
  Cutter cutter{.costs = costs, .rows = rows, .most_rows = options.group_rows, .remaining = total};
  if (balanced) {
    cutter.too_long = (total + idle) / options.threads;
    for (const double cost : costs) cutter.remaining -= cost > cutter.too_long ? cost : 0;
  }
  if (options.threads > 1) {
    // Half a thread's fair share of what is left: groups become smaller towards the end, where the
    // threads then differ by little. But no smaller than a tile of the products: below, each row
    // costs more (8 x 40 tokens on two threads, one sequence a group: 1.4 times as fast as on one).
    cutter.share = 1 / (2.0 * options.threads);
    cutter.least_rows = kTileRows;
  }
  cutter.cut(0, count, across);
  std::sort(across.begin(), across.end(), [](const Range& a, const Range& b) {
    return a.cost != b.cost ? a.cost > b.cost : a.first < b.first;
  });
  if (!balanced) return;

  const auto unbalanced = balance(across, options.threads, idle, schedule.free_at);
  std::sort(unbalanced, across.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  // Neighbours go inside together, as far as a group may be large.
  for (auto range = unbalanced, next = range; range != across.end(); range = next) {
    for (++next; next != across.end() && next->first == std::prev(next)->last;) ++next;
    Cutter{.costs = costs, .rows = rows, .most_rows = inside_rows}.cut(
        range->first, std::prev(next)->last, inside);
  }
  across.erase(unbalanced, across.end());
}

}  // namespace headway
