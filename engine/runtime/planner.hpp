// Where buffers lie in an arena, given when each is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace headway {

// A buffer that holds something from the step `first` to the step `last`, both included.
struct Lifetime {
  int32_t first;
  int32_t last;
};

// Greedy by size (Pisarchyk and Lee, "Efficient memory management for deep neural net inference",
// 2020): the largest buffer first, each at the lowest place that is free during its whole lifetime.
// Keeps its working arrays, so that planning allocates nothing once it has seen, or made room for,
// as many buffers.
class Planner {
 public:
  // Sets offsets[i], a multiple of Arena::kAlignment, for each buffer of sizes[i] bytes, and
  // returns the bytes needed in all. Buffers of no bytes get offset 0. Error(limit) on overflow.
  // Time O(n^2) for n buffers.
  size_t plan(std::span<const Lifetime> lifetimes, std::span<const size_t> sizes,
              std::span<size_t> offsets);

  // Makes room for so many buffers, so that planning never allocates.
  void reserve(size_t buffers);

 private:
  std::vector<int32_t> by_size_;
  std::vector<int32_t> placed_;  // by offset
};

}  // namespace headway
