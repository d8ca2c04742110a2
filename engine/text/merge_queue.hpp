// The merges of a long word that are due, lowest rank first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace headway {

// A list of places for each rank, and a heap of the ranks that have some. A heap of all places, as
// the reference has it, moves 80 MB per level for a word of 10 MB, and its order within a rank is
// nearly always that of a list: 10 MB of spaces take 0.9 s instead of 3.4 s.
class MergeQueue {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Empties the queue, for ranks below `ranks`. Allocates only where the last word had fewer.
  void reset(size_t ranks) {
    for (const uint32_t rank : heap_) lists_[rank] = {};
    if (lists_.size() < ranks) lists_.resize(ranks);
    entries_.clear();
    heap_.clear();
    free_ = kNone;
  }

  bool empty() const { return heap_.empty(); }

  void push(uint32_t rank, uint32_t place) {
    uint32_t entry = free_;
    if (entry == kNone) {
      entry = static_cast<uint32_t>(entries_.size());
      entries_.push_back({place, kNone});
    } else {
      free_ = entries_[entry].next;
      entries_[entry] = {place, kNone};
    }
    List& list = lists_[rank];
    if (list.first == kNone) {
      list.first = entry;
      heap_.push_back(rank);
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    } else {
      entries_[list.last].next = entry;
    }
    list.last = entry;
  }

  // Takes the lowest rank out, with its places in order.
  uint32_t pop(std::vector<uint32_t>& places) {
    const uint32_t rank = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    List& list = lists_[rank];
    places.clear();
    for (uint32_t entry = list.first; entry != kNone; entry = entries_[entry].next)
      places.push_back(entries_[entry].place);
    if (!std::is_sorted(places.begin(), places.end())) std::sort(places.begin(), places.end());
    entries_[list.last].next = free_;
    free_ = list.first;
    list = {};
    return rank;
  }

 private:
  struct Entry {
    uint32_t place, next;
  };
  struct List {
    uint32_t first = kNone, last = kNone;
  };

  std::vector<Entry> entries_;
  std::vector<List> lists_;     // by rank
  std::vector<uint32_t> heap_;  // the ranks whose lists are not empty
  uint32_t free_ = kNone;       // a list of entries to use again
};

}  // namespace headway
