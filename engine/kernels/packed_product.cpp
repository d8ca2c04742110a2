// Some rows times some vectors of outputs in registers, once through the weights.
#include "engine/kernels/packed_product.hpp"

#include <algorithm>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/packed_product.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/pack-inl.hpp"
#include "engine/kernels/partial-inl.hpp"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Rows and vectors of outputs at a time: 32 of 32 registers, or 12 of 16.
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
constexpr size_t kRows = 6, kVectors = 2;
#else
constexpr size_t kRows = 8, kVectors = 4;
#endif
// Bytes that weights are fetched ahead of their use. Memory takes about 100 ns to answer, while a
// core reads 2 to 3 KB; with 4 to 24 KiB the difference is below 10 %.
constexpr size_t kAhead = 8192;

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

// The outputs [0, n) of kVectors vectors for R rows. Their weights lie in one block, or in blocks
// that follow each other, of `block_size` numbers.
template <size_t kBlock, size_t R>
HWY_INLINE void block_rows(const PackedProduct& p, const float* HWY_RESTRICT x,
                           const float* HWY_RESTRICT weights, size_t block_size, size_t n,
                           float* HWY_RESTRICT y) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d), apart = kVectors * lanes <= kBlock ? lanes : block_size;
  for (size_t begin = 0; begin < p.in; begin += p.chunk) {
    const size_t end = std::min(begin + p.chunk, p.in);
    hn::Vec<decltype(d)> sum[R][kVectors];
    for (size_t r = 0; r < R; ++r) {
      for (size_t c = 0; c < kVectors; ++c) sum[r][c] = hn::Zero(d);
    }
    for (size_t i = begin; i < end; ++i) {
      const float* w = weights + i * kBlock;
      hn::Vec<decltype(d)> v[kVectors];
      for (size_t c = 0; c < kVectors; ++c) {
        // A line of 16 floats. Beyond the last weight this fetches what nobody needs.
        if (c * lanes % 16 == 0) hwy::Prefetch(w + c * apart + kAhead / sizeof(float));
        v[c] = hn::Load(d, w + c * apart);
      }
      for (size_t r = 0; r < R; ++r) {
        const auto a = hn::Set(d, x[r * p.in + i]);
        for (size_t c = 0; c < kVectors; ++c) sum[r][c] = hn::MulAdd(a, v[c], sum[r][c]);
      }
    }
    store_sums<R>(d, sum, begin > 0, n, p.width, y);
  }
}

template <size_t kBlock, size_t... R>
void any_rows(const PackedProduct& p, size_t row, size_t column, std::index_sequence<R...>) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d), n = std::min(kVectors * lanes, p.width - column);
  const size_t block_size = kBlock * PackedBlocks{p.in, p.width, kBlock}.depth();
  const float* x = p.x + row * p.in;
  const float* weights = p.weights + column / kBlock * block_size + column % kBlock;
  float* y = p.y + row * p.width + column;
  const size_t rows = std::min(kRows, p.rows - row);
  ((rows == R + 1 ? block_rows<kBlock, R + 1>(p, x, weights, block_size, n, y) : void()), ...);
}

template <size_t kBlock>
void multiply(const PackedProduct& p) {
  const size_t columns = kVectors * hn::Lanes(hn::ScalableTag<float>());
  for (size_t column = 0; column < p.width; column += columns) {
    // Further rows find the weights in cache.
    for (size_t row = 0; row < p.rows; row += kRows)
      any_rows<kBlock>(p, row, column, std::make_index_sequence<kRows>());
  }
}

void packed_product_kernel(const PackedProduct& p) {
  return p.block == 16 ? multiply<16>(p) : multiply<64>(p);
}

void pack_blocks_kernel(const float* weights, const PackedBlocks& blocks, float* packed) {
  const size_t size = blocks.block * blocks.depth();
  if (blocks.width % 64 != 0 || blocks.depth() != blocks.in)
    std::fill_n(packed, blocks.elements(), 0.0f);
  for (size_t output = 0; output < blocks.width; output += blocks.block, packed += size) {
    transpose(weights + output * blocks.in, blocks.in,
              std::min(blocks.block, blocks.width - output), blocks.in, blocks.block, packed);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(packed_product_kernel);
HWY_EXPORT(pack_blocks_kernel);

void pack_blocks(const float* weights, const PackedBlocks& blocks, float* packed) {
  HWY_DYNAMIC_DISPATCH(pack_blocks_kernel)(weights, blocks, packed);
}

void packed_product(const PackedProduct& product) {
  HWY_DYNAMIC_DISPATCH(packed_product_kernel)(product);
}

}  // namespace headway
#endif
