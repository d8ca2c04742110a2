// Marks on their way to canonical order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headway {

// The marks between two starters, which NFD orders by combining class. Kept by the caller for its
// memory.
class MarkRun {
 public:
  bool empty() const { return marks_.empty(); }
  void clear() { marks_.clear(); }
  void add(char32_t c, uint8_t combining) { marks_.push_back(uint32_t{combining} << 24 | c); }

  // Hands the marks to `put(c, combining class)` in canonical order and forgets them. Linear: a run
  // may be the whole text.
  template <typename Put>
  void drain(Put&& put) {
    if (marks_.size() == 1) {  // nearly always
      put(marks_[0] & 0xFFFFFF, marks_[0] >> 24);
      marks_.clear();
      return;
    }
    std::array<size_t, 256> at{};
    for (const uint32_t mark : marks_) ++at[mark >> 24];
    size_t begin = 0;
    for (size_t& slot : at) {
      const size_t count = slot;
      slot = begin;
      begin += count;
    }
    ordered_.resize(marks_.size());
    for (const uint32_t mark : marks_) ordered_[at[mark >> 24]++] = mark;
    for (const uint32_t mark : ordered_) put(mark & 0xFFFFFF, mark >> 24);
    marks_.clear();
  }

 private:
  std::vector<uint32_t> marks_, ordered_;  // combining class << 24 | character
};

}  // namespace headway
