// Rows of queries, keys and values, copied to the order in which attention in tiles reads them.
#if defined(HEADWAY_ENGINE_KERNELS_PACK_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADWAY_ENGINE_KERNELS_PACK_INL_HPP_
#undef HEADWAY_ENGINE_KERNELS_PACK_INL_HPP_
#else
#define HEADWAY_ENGINE_KERNELS_PACK_INL_HPP_
#endif

#include <algorithm>
#include <cstring>

#include "engine/kernels/partial-inl.hpp"
#include "engine/kernels/words-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// from [count, size] transposed to the first columns of [size][width].
inline void transpose(const float* HWY_RESTRICT from, size_t stride, size_t count, size_t size,
                      size_t width, float* HWY_RESTRICT to) {
  size_t row = 0;
#if HWY_TARGET != HWY_SCALAR
  // In blocks of 4 x 4.
  const hn::FixedTag<float, 4> d4;
  const hn::FixedTag<double, 2> d2;
  for (; row + 4 <= count; row += 4, from += 4 * stride) {
    size_t i = 0;
    for (; i + 4 <= size; i += 4) {
      const auto r0 = hn::LoadU(d4, from + i), r1 = hn::LoadU(d4, from + stride + i);
      const auto r2 = hn::LoadU(d4, from + 2 * stride + i),
                 r3 = hn::LoadU(d4, from + 3 * stride + i);
      const auto low01 = hn::BitCast(d2, hn::InterleaveLower(d4, r0, r1));
      const auto high01 = hn::BitCast(d2, hn::InterleaveUpper(d4, r0, r1));
      const auto low23 = hn::BitCast(d2, hn::InterleaveLower(d4, r2, r3));
      const auto high23 = hn::BitCast(d2, hn::InterleaveUpper(d4, r2, r3));
      float* column = to + i * width + row;
      hn::StoreU(hn::BitCast(d4, hn::InterleaveLower(d2, low01, low23)), d4, column);
      hn::StoreU(hn::BitCast(d4, hn::InterleaveUpper(d2, low01, low23)), d4, column + width);
      hn::StoreU(hn::BitCast(d4, hn::InterleaveLower(d2, high01, high23)), d4, column + 2 * width);
      hn::StoreU(hn::BitCast(d4, hn::InterleaveUpper(d2, high01, high23)), d4, column + 3 * width);
    }
    for (; i < size; ++i) {
      for (size_t j = 0; j < 4; ++j) to[i * width + row + j] = from[j * stride + i];
    }
  }
#endif
  for (; row < count; ++row, from += stride) {
    for (size_t i = 0; i < size; ++i) to[i * width + row] = from[i];
  }
}

// Words of 32 bits in a row of numbers, and what rounded rows are apart: whole vectors of 16 bits.
template <class Words>
constexpr size_t words_of(size_t size) {
  return (size + Words::kNumbers - 1) / Words::kNumbers;
}

// from [count, size] rounded to words and transposed to the first columns of [words][width].
// `rounded` has room for `count` rows in words, each rounded up to 16.
template <class Words>
inline void transpose_words(const float* from, size_t stride, size_t count, size_t size,
                            size_t width, float* to, float* rounded) {
  if constexpr (Words::kNumbers == 1) {
    (void)rounded;
    transpose(from, stride, count, size, width, to);
  } else {
    const size_t words = words_of<Words>(size), row = (words + 15) / 16 * 16;
    for (size_t i = 0; i < count; ++i) Words::round_row(from + i * stride, size, rounded + i * row);
    transpose(rounded, row, count, words, width, to);
  }
}

// keys [count, size] to panels of two vectors of keys, of one for what remains:
// [panel][words][lanes], zeros beyond count. `rounded` as above, for a panel.
template <class Words>
inline void pack_keys(const float* from, size_t stride, size_t count, size_t size, float* to,
                      float* rounded) {
  const size_t lanes = hn::Lanes(hn::ScalableTag<float>()), words = words_of<Words>(size);
  size_t key = 0;
  const auto panel = [&](size_t width) HWY_ATTR {
    const size_t keys = std::min(width, count - key);
    if (keys < width) std::memset(to, 0, words * width * sizeof(float));
    transpose_words<Words>(from + key * stride, stride, keys, size, width, to, rounded);
    key += width;
    to += width * words;
  };
  while (key + lanes < count) panel(2 * lanes);
  if (key < count) panel(lanes);
}

// values [count, size] to chunks of two vectors of columns (one for what remains):
// [chunk][count in words][lanes], zeros beyond. Returns whether all are finite, rounded too.
template <class Words>
inline bool pack_values(const float* HWY_RESTRICT from, size_t stride, size_t count, size_t size,
                        float* HWY_RESTRICT to) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  auto seen = hn::Zero(d);  // 0 as long as all are finite: 0 times infinity is NaN
  const auto load = [&](size_t row, size_t column) HWY_ATTR {
    const float* p = from + row * stride + column;
    const auto v = column + lanes <= size ? hn::LoadU(d, p) : load_partial(d, p, size - column);
    // What bf16 would round to infinity must not count as finite.
    const auto large = Words::kNumbers == 1 ? v : hn::Mul(v, hn::Set(d, 1.01f));
    seen = hn::MulAdd(large, hn::Zero(d), seen);
    return v;
  };
  const auto copy = [&](size_t row, size_t column, float* chunk) HWY_ATTR {
    hn::Store(Words::of_rows([&](size_t i) HWY_ATTR {
                return row + i < count ? load(row + i, column) : hn::Zero(d);
              }),
              d, chunk);
  };
  size_t column = 0;
  for (; column + lanes < size; column += 2 * lanes) {
    for (size_t j = 0; j < count; j += Words::kNumbers, to += 2 * lanes) {
      copy(j, column, to);
      copy(j, column + lanes, to + lanes);
    }
  }
  if (column < size) {
    for (size_t j = 0; j < count; j += Words::kNumbers, to += lanes) copy(j, column, to);
  }
  return hn::GetLane(hn::SumOfLanes(d, seen)) == 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#endif  // include guard, once per target
