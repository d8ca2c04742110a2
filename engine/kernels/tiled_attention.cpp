// Attention in tiles: packed keys and values, a block of query rows against a block of keys.
//
// The two products are register-blocked: up to kRows query rows times two vectors, so that of each
// load of keys or values kRows multiply-adds are made.
#include "engine/kernels/tiled_attention.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/tiled_attention.cpp"
#include "hwy/foreach_target.h"

#include "engine/kernels/exp-inl.hpp"
#include "engine/kernels/partial-inl.hpp"
#include "hwy/highway.h"

#ifndef HEADWAY_TILED_ATTENTION_ONCE
#define HEADWAY_TILED_ATTENTION_ONCE
namespace headway {
namespace {

constexpr size_t kWidestVector = 16;  // floats of AVX-512
constexpr size_t kMostRows = 12;

// Keys of a block: packed keys and values of 2 x 64 KiB stay in L2 beside the queries' results.
constexpr size_t key_block(size_t size) {
  return std::clamp<size_t>(16384 / std::max<size_t>(size, 1) / 64 * 64, 64, 512);
}

constexpr size_t round_up(size_t value, size_t step) {
  return (value + step - 1) / step * step;
}

// Rows of scores lie a vector further apart than a block is long, so that they do not fall into the
// same cache sets.
constexpr size_t score_stride(size_t size) {
  return key_block(size) + kWidestVector;
}

// Where things lie in the scratch, in floats; every part is a multiple of the widest vector.
struct Layout {
  explicit Layout(size_t size)
      : keys(0),
        values(keys + key_block(size) * size),
        queries(values + key_block(size) * round_up(size, kWidestVector)),
        scores(round_up(queries + kMostRows * size, kWidestVector)),
        sums(round_up(scores + kMostRows * score_stride(size), kWidestVector)),
        maxima(sums + kTiledQueries),
        results(maxima + kTiledQueries),
        end(results + kTiledQueries * round_up(size, kWidestVector)) {}
  size_t keys, values, queries, scores, sums, maxima, results, end;
};

}  // namespace
}  // namespace headway
#endif

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Float = hn::ScalableTag<float>;
using Vector = hn::Vec<Float>;

// Accumulators are 2 x kRows vectors: 24 of 32 registers, or 12 of 16.
#if HWY_TARGET == HWY_SCALAR
constexpr size_t kRows = 4;
#elif HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
constexpr size_t kRows = 6;
#else
constexpr size_t kRows = 12;
#endif

// from [count, size] transposed to [size][width], zeros in columns from count to width.
void transpose(const float* HWY_RESTRICT from, size_t stride, size_t count, size_t size,
               size_t width, float* HWY_RESTRICT to) {
  if (count < width) std::memset(to, 0, size * width * sizeof(float));
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

// keys [count, size] to panels of two vectors of keys, of one for what remains:
// [panel][size][lanes], zeros beyond count.
void pack_keys(const float* from, size_t stride, size_t count, size_t size, float* to) {
  const size_t lanes = hn::Lanes(Float());
  size_t key = 0;
  for (; key + lanes < count; key += 2 * lanes, to += 2 * lanes * size) {
    transpose(from + key * stride, stride, std::min(2 * lanes, count - key), size, 2 * lanes, to);
  }
  if (key < count) transpose(from + key * stride, stride, count - key, size, lanes, to);
}

// values [count, size] to chunks of two vectors of columns (one for what remains):
// [chunk][count][lanes], zeros beyond size.
void pack_values(const float* HWY_RESTRICT from, size_t stride, size_t count, size_t size,
                 float* HWY_RESTRICT to) {
  const Float d;
  const size_t lanes = hn::Lanes(d);
  const auto load = [&](const float* row, size_t column) HWY_ATTR {
    if (column + lanes <= size) return hn::LoadU(d, row + column);
    return load_partial(d, row + column, size - column);
  };
  size_t column = 0;
  for (; column + lanes < size; column += 2 * lanes) {
    for (size_t j = 0; j < count; ++j, to += 2 * lanes) {
      hn::Store(load(from + j * stride, column), d, to);
      hn::Store(load(from + j * stride, column + lanes), d, to + lanes);
    }
  }
  if (column < size) {
    for (size_t j = 0; j < count; ++j, to += lanes)
      hn::Store(load(from + j * stride, column), d, to);
  }
}

// scores[r][0, C lanes) = q[r] k for one panel of keys.
template <size_t R, size_t C>
HWY_INLINE void score_panel(const float* HWY_RESTRICT queries, const float* HWY_RESTRICT panel,
                            size_t size, float* HWY_RESTRICT scores, size_t stride) {
  const Float d;
  const size_t lanes = hn::Lanes(d);
  Vector sum[R][C];
  for (size_t r = 0; r < R; ++r) {
    for (size_t c = 0; c < C; ++c) sum[r][c] = hn::Zero(d);
  }
  for (size_t i = 0; i < size; ++i, panel += C * lanes, queries += R) {
    Vector k[C];
    for (size_t c = 0; c < C; ++c) k[c] = hn::Load(d, panel + c * lanes);
    for (size_t r = 0; r < R; ++r) {
      const auto q = hn::Set(d, queries[r]);
      for (size_t c = 0; c < C; ++c) sum[r][c] = hn::MulAdd(q, k[c], sum[r][c]);
    }
  }
  for (size_t r = 0; r < R; ++r) {
    for (size_t c = 0; c < C; ++c) hn::Store(sum[r][c], d, scores + r * stride + c * lanes);
  }
}

// results[r] (+)= weights[r] values, for one chunk of C vectors of columns.
template <size_t R, size_t C>
HWY_INLINE void value_chunk(const float* HWY_RESTRICT weights, size_t weight_stride,
                            const float* HWY_RESTRICT chunk, size_t count, bool first,
                            float* HWY_RESTRICT results, size_t result_stride) {
  const Float d;
  const size_t lanes = hn::Lanes(d);
  Vector sum[R][C];
  for (size_t r = 0; r < R; ++r) {
    for (size_t c = 0; c < C; ++c) {
      sum[r][c] = first ? hn::Zero(d) : hn::Load(d, results + r * result_stride + c * lanes);
    }
  }
  for (size_t j = 0; j < count; ++j, chunk += C * lanes) {
    Vector v[C];
    for (size_t c = 0; c < C; ++c) v[c] = hn::Load(d, chunk + c * lanes);
    for (size_t r = 0; r < R; ++r) {
      const auto w = hn::Set(d, weights[r * weight_stride + j]);
      for (size_t c = 0; c < C; ++c) sum[r][c] = hn::MulAdd(w, v[c], sum[r][c]);
    }
  }
  for (size_t r = 0; r < R; ++r) {
    for (size_t c = 0; c < C; ++c) hn::Store(sum[r][c], d, results + r * result_stride + c * lanes);
  }
}

// What is kept of a query between blocks of keys.
struct Running {
  float* maximum;  // of the scores so far
  float* sum;      // of exp(score - maximum)
  float* result;   // sum of exp(score - maximum) v, [size rounded up to vectors]
};

// Scores [n] of one query become weights relative to the running maximum; n is a whole number of
// vectors.
HWY_INLINE void exponentials(float* HWY_RESTRICT scores, size_t n, size_t width, float scale,
                             bool first, Running q) {
  const Float d;
  const size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, scale * 1.44269504088896341f);
  auto most = hn::Set(d, first ? hwy::LowestValue<float>() : *q.maximum);
  for (size_t i = 0; i < n; i += lanes) most = hn::Max(most, hn::Load(d, scores + i));
  most = hn::MaxOfLanes(d, most);
  auto sum = hn::Zero(d);
  for (size_t i = 0; i < n; i += lanes) {
    const auto e = exp2_scaled_or_zero(d, hn::Sub(hn::Load(d, scores + i), most), factor);
    hn::Store(e, d, scores + i);
    sum = hn::Add(sum, e);
  }
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
  if (!first) {
    const auto shrink = exp2_scaled_or_zero(d, hn::Sub(hn::Set(d, *q.maximum), most), factor);
    total += *q.sum * hn::GetLane(shrink);
    for (size_t i = 0; i < width; i += lanes) {
      hn::Store(hn::Mul(shrink, hn::Load(d, q.result + i)), d, q.result + i);
    }
  }
  *q.sum = total;
  *q.maximum = hn::GetLane(most);
}

// One block of R query rows (`count` of them real) against one block of packed keys and values.
template <size_t R>
void query_block(const TiledAttention& a, size_t query, size_t count, size_t keys, bool first,
                 const Layout& at, float* scratch) {
  const Float d;
  const size_t lanes = hn::Lanes(d);
  const size_t stride = score_stride(a.size);
  const size_t width = round_up(a.size, lanes);
  float* scores = scratch + at.scores;
  transpose(a.q + query * a.q_stride, a.q_stride, count, a.size, R, scratch + at.queries);
  const float* panel = scratch + at.keys;
  size_t padded = 0;
  for (; padded + lanes < keys; padded += 2 * lanes, panel += 2 * lanes * a.size) {
    score_panel<R, 2>(scratch + at.queries, panel, a.size, scores + padded, stride);
  }
  if (padded < keys) {
    score_panel<R, 1>(scratch + at.queries, panel, a.size, scores + padded, stride);
    padded += lanes;
  }
  for (size_t r = 0; r < count; ++r) {
    float* row = scores + r * stride;
    for (size_t key = keys; key < padded; ++key) row[key] = -std::numeric_limits<float>::infinity();
    exponentials(row, padded, width, a.scale, first,
                 {scratch + at.maxima + query + r, scratch + at.sums + query + r,
                  scratch + at.results + (query + r) * width});
  }
  float* results = scratch + at.results + query * width;
  const float* chunk = scratch + at.values;
  size_t column = 0;
  for (; column + lanes < a.size; column += 2 * lanes, chunk += 2 * lanes * keys) {
    value_chunk<R, 2>(scores, stride, chunk, keys, first, results + column, width);
  }
  if (column < a.size)
    value_chunk<R, 1>(scores, stride, chunk, keys, first, results + column, width);
}

// The smallest compiled block of at least `count` rows.
void any_query_block(const TiledAttention& a, size_t query, size_t count, size_t keys, bool first,
                     const Layout& at, float* scratch) {
  if (count <= 1) return query_block<1>(a, query, count, keys, first, at, scratch);
  if (count <= 2) return query_block<2>(a, query, count, keys, first, at, scratch);
  if (count <= 4 || kRows == 4) return query_block<4>(a, query, count, keys, first, at, scratch);
  if constexpr (kRows > 4) {
    if (count <= 6 || kRows == 6) return query_block<6>(a, query, count, keys, first, at, scratch);
  }
  if constexpr (kRows > 6) {
    if (count <= 8) return query_block<8>(a, query, count, keys, first, at, scratch);
    if (count <= 10) return query_block<10>(a, query, count, keys, first, at, scratch);
    return query_block<kRows>(a, query, count, keys, first, at, scratch);
  }
}

void tiled_attention_kernel(const TiledAttention& a, float* scratch) {
  const Float d;
  const size_t lanes = hn::Lanes(d);
  const Layout at(a.size);
  const size_t width = round_up(a.size, lanes);
  // Rows in blocks of about equal height, so that the last one is not nearly empty.
  const size_t blocks = (a.queries + kRows - 1) / kRows;
  const size_t height = (a.queries + blocks - 1) / blocks;
  for (size_t key = 0; key < a.keys; key += key_block(a.size)) {
    const size_t keys = std::min(key_block(a.size), a.keys - key);
    pack_keys(a.k + key * a.k_stride, a.k_stride, keys, a.size, scratch + at.keys);
    pack_values(a.v + key * a.v_stride, a.v_stride, keys, a.size, scratch + at.values);
    for (size_t query = 0; query < a.queries; query += height) {
      any_query_block(a, query, std::min(height, a.queries - query), keys, key == 0, at, scratch);
    }
  }
  for (size_t query = 0; query < a.queries; ++query) {
    const auto inverse = hn::Set(d, 1.0f / scratch[at.sums + query]);
    const float* result = scratch + at.results + query * width;
    float* out = a.out + query * a.out_stride;
    size_t i = 0;
    for (; i + lanes <= a.size; i += lanes)
      hn::StoreU(hn::Mul(inverse, hn::Load(d, result + i)), d, out + i);
    if (i < a.size)
      store_partial(d, hn::Mul(inverse, hn::Load(d, result + i)), out + i, a.size - i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(tiled_attention_kernel);

size_t tiled_attention_scratch(size_t size) {
  return Layout(size).end * sizeof(float);
}

void tiled_attention(const TiledAttention& a, std::byte* scratch) {
  HWY_DYNAMIC_DISPATCH(tiled_attention_kernel)(a, reinterpret_cast<float*>(scratch));
}

}  // namespace headway
#endif
