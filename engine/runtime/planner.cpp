// Greedy placement of buffers.
#include "engine/runtime/planner.hpp"

#include <algorithm>
#include <numeric>

#include "engine/base/checked.hpp"
#include "engine/runtime/arena.hpp"

namespace headway {

void Planner::reserve(size_t buffers) {
  by_size_.reserve(buffers);
  placed_.reserve(buffers);
}

size_t Planner::plan(std::span<const Lifetime> lifetimes, std::span<const size_t> sizes,
                     std::span<size_t> offsets) {
  by_size_.resize(sizes.size());
  std::iota(by_size_.begin(), by_size_.end(), 0);
  // Equal sizes stay in order, so that a plan is the same every time.
  std::sort(by_size_.begin(), by_size_.end(), [&](int32_t a, int32_t b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b;
  });
  placed_.clear();
  size_t total = 0;
  for (int32_t buffer : by_size_) {
    offsets[buffer] = 0;
    if (sizes[buffer] == 0) continue;
    const Lifetime& life = lifetimes[buffer];
    size_t offset = 0;
    for (int32_t other : placed_) {
      const bool together =
          lifetimes[other].first <= life.last && life.first <= lifetimes[other].last;
      if (!together) continue;
      const size_t end = offsets[other] + sizes[other];
      if (end <= offset) continue;
      if (offsets[other] >= checked_add(offset, sizes[buffer], "working memory")) break;
      offset = checked_round_up(end, Arena::kAlignment, "working memory");
    }
    offsets[buffer] = offset;
    total = std::max(total, checked_add(offset, sizes[buffer], "working memory"));
    const auto after =
        std::upper_bound(placed_.begin(), placed_.end(), offset,
                         [&](size_t value, int32_t other) { return value < offsets[other]; });
    placed_.insert(after, buffer);
  }
  return total;
}

}  // namespace headway
