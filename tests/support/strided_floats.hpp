// Floats [B, H, T, size] in memory of any order, with room between them or none.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "headway/attention.hpp"
#include "tests/support/random.hpp"

namespace headway {

// How they lie: heads after heads, or tokens after tokens with the heads of one side by side; `gap`
// elements before them and after each row, each group of rows and each sequence.
struct StridedLayout {
  bool tokens = false;
  int64_t gap = 0;
};

// Calls visit(b, h, t, c) for every index, in row-major order.
template <typename Visit>
void for_each_index(const std::array<int64_t, 4>& extents, const Visit& visit) {
  for (int64_t b = 0; b < extents[0]; ++b)
    for (int64_t h = 0; h < extents[1]; ++h)
      for (int64_t t = 0; t < extents[2]; ++t)
        for (int64_t c = 0; c < extents[3]; ++c) visit(b, h, t, c);
}

template <typename Pointer>
int64_t element_at(const BasicStridedView<Pointer>& view, int64_t b, int64_t h, int64_t t,
                   int64_t c) {
  return b * view.strides[0] + h * view.strides[1] + t * view.strides[2] + c * view.strides[3];
}

// The floats of a view, row-major.
template <typename Pointer>
std::vector<float> dense_floats(const BasicStridedView<Pointer>& view) {
  std::vector<float> values;
  for_each_index(view.extents, [&](int64_t b, int64_t h, int64_t t, int64_t c) {
    values.push_back(static_cast<const float*>(view.data)[element_at(view, b, h, t, c)]);
  });
  return values;
}

// NaN at first, and for ever between the elements; nothing lies behind the last of them.
class StridedFloats {
 public:
  explicit StridedFloats(std::array<int64_t, 4> extents, StridedLayout layout = {})
      : extents_(extents), layout_(layout) {
    const size_t inner = layout.tokens ? 1 : 2, outer = layout.tokens ? 2 : 1;
    strides_[3] = 1;
    strides_[inner] = extents[3] + layout.gap;
    strides_[outer] = extents[inner] * strides_[inner] + layout.gap;
    strides_[0] = extents[outer] * strides_[outer] + layout.gap;
    int64_t end = layout.gap + 1;
    for (size_t axis = 0; axis < 4; ++axis)
      end += std::max<int64_t>(0, extents[axis] - 1) * strides_[axis];
    memory_.assign(static_cast<size_t>(end), std::numeric_limits<float>::quiet_NaN());
  }
  StridedFloats(Random& random, std::array<int64_t, 4> extents, StridedLayout layout = {})
      : StridedFloats(extents, layout) {
    const std::vector<float> values =
        random.normals(extents[0] * extents[1] * extents[2] * extents[3]);
    for_each([next = values.begin()](float& value) mutable { value = *next++; });
  }

  StridedView view() const {
    return {memory_.data() + layout_.gap, DType::f32, extents_, strides_};
  }
  MutableStridedView target() {
    return {memory_.data() + layout_.gap, DType::f32, extents_, strides_};
  }

  float& at(int64_t b, int64_t h, int64_t t, int64_t c) {
    return memory_[static_cast<size_t>(layout_.gap + element_at(view(), b, h, t, c))];
  }
  template <typename Visit>
  void for_each(Visit visit) {
    for_each_index(extents_, [&](auto... index) { visit(at(index...)); });
  }
  std::vector<float> values() const { return dense_floats(view()); }

  // Whether all that lies between the elements is as it was.
  bool gaps_untouched() const {
    StridedFloats without = *this;
    without.for_each([](float& value) { value = std::numeric_limits<float>::quiet_NaN(); });
    return without.untouched();
  }
  // Whether nothing has been written.
  bool untouched() const {
    const StridedFloats fresh(extents_, layout_);
    return std::memcmp(memory_.data(), fresh.memory_.data(), memory_.size() * sizeof(float)) == 0;
  }

 private:
  std::array<int64_t, 4> extents_, strides_{};
  StridedLayout layout_;
  std::vector<float> memory_;
};

}  // namespace headway
