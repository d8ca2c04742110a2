// Up to 8 rows times 4 vectors of outputs, once through the weights.
#include "engine/kernels/thin_product.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/thin_product.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/partial-inl.hpp"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kColumns = 64;  // of a block of weights
constexpr size_t kVectors = 4;   // of columns at a time: with AVX-512 the whole block
constexpr size_t kRows = 8;
// Inputs that weights are fetched ahead of their use: 8 KiB. Memory takes about 100 ns to answer,
// while a core reads 2 to 3 KB; with 4 to 24 KiB the difference is below 10 %.
constexpr size_t kAhead = 32;

// y[0, n) of R rows gets, or with `more` is added, the sums.
template <size_t R, class D, class V>
HWY_INLINE void store_sums(D d, const V (&sum)[R][kVectors], bool more, size_t n, size_t stride,
                           float* y) {
  const size_t lanes = hn::Lanes(d);
  for (size_t r = 0; r < R; ++r, y += stride) {
    for (size_t c = 0; c < kVectors && c * lanes < n; ++c) {
      float* to = y + c * lanes;
      if ((c + 1) * lanes <= n) {
        hn::StoreU(more ? hn::Add(hn::LoadU(d, to), sum[r][c]) : sum[r][c], d, to);
      } else {
        const size_t rest = n - c * lanes;
        const auto v = more ? hn::Add(load_partial(d, to, rest), sum[r][c]) : sum[r][c];
        store_partial(d, v, to, rest);
      }
    }
  }
}

// The outputs [0, n) of a block, n <= kColumns, for R rows.
template <size_t R>
HWY_INLINE void block_rows(const ThinProduct& p, const float* HWY_RESTRICT x,
                           const float* HWY_RESTRICT weights, size_t n, float* HWY_RESTRICT y) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t column = 0; column < n; column += kVectors * lanes) {
    for (size_t begin = 0; begin < p.in; begin += p.chunk) {
      const size_t end = std::min(begin + p.chunk, p.in);
      hn::Vec<decltype(d)> sum[R][kVectors];
      for (size_t r = 0; r < R; ++r) {
        for (size_t c = 0; c < kVectors; ++c) sum[r][c] = hn::Zero(d);
      }
      for (size_t i = begin; i < end; ++i) {
        const float* w = weights + i * kColumns + column;
        // Lines of 16 floats. Beyond the last weight this fetches what nobody needs.
        for (size_t c = 0; c < kVectors * lanes; c += 16) hwy::Prefetch(w + kAhead * kColumns + c);
        hn::Vec<decltype(d)> v[kVectors];
        for (size_t c = 0; c < kVectors; ++c) v[c] = hn::Load(d, w + c * lanes);
        for (size_t r = 0; r < R; ++r) {
          const auto a = hn::Set(d, x[r * p.in + i]);
          for (size_t c = 0; c < kVectors; ++c) sum[r][c] = hn::MulAdd(a, v[c], sum[r][c]);
        }
      }
      store_sums<R>(d, sum, begin > 0, n - column, p.width, y + column);
    }
  }
}

void any_rows(const ThinProduct& p, size_t row, size_t count, size_t column) {
  const float* x = p.x + row * p.in;
  const float* weights = p.weights + column * ((p.in + 15) / 16 * 16);
  const size_t n = std::min(kColumns, p.width - column);
  float* y = p.y + row * p.width + column;
  switch (count) {
    case 1:
      return block_rows<1>(p, x, weights, n, y);
    case 2:
      return block_rows<2>(p, x, weights, n, y);
    case 3:
      return block_rows<3>(p, x, weights, n, y);
    case 4:
      return block_rows<4>(p, x, weights, n, y);
    case 5:
      return block_rows<5>(p, x, weights, n, y);
    case 6:
      return block_rows<6>(p, x, weights, n, y);
    case 7:
      return block_rows<7>(p, x, weights, n, y);
    default:
      return block_rows<8>(p, x, weights, n, y);
  }
}

void thin_product_kernel(const ThinProduct& p) {
  for (size_t column = 0; column < p.width; column += kColumns) {
    // Further rows find the block of weights in L2.
    for (size_t row = 0; row < p.rows; row += kRows)
      any_rows(p, row, std::min(kRows, p.rows - row), column);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(thin_product_kernel);

void thin_product(const ThinProduct& product) {
  HWY_DYNAMIC_DISPATCH(thin_product_kernel)(product);
}

}  // namespace headway
#endif
