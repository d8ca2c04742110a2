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
#include "engine/kernels/pack-inl.hpp"
#include "engine/kernels/partial-inl.hpp"
#include "engine/kernels/score_rule-inl.hpp"
#include "engine/kernels/words-inl.hpp"
#include "hwy/highway.h"

#ifndef HEADWAY_TILED_ATTENTION_ONCE
#define HEADWAY_TILED_ATTENTION_ONCE
namespace headway {
namespace {

constexpr size_t kWidestVector = 16;  // floats of AVX-512
constexpr size_t kMostRows = 12;

// Keys of a block: packed keys and values of 2 x 64 KiB stay in L2 beside the queries' results.
constexpr size_t key_block(size_t size, size_t value_size) {
  const size_t widest = std::max({size, value_size, size_t{1}});
  return std::clamp<size_t>(16384 / widest / 64 * 64, 64, 512);
}

constexpr size_t round_up(size_t value, size_t step) {
  return (value + step - 1) / step * step;
}

// Rows of scores lie a vector further apart than a block is long, so that they do not fall into the
// same cache sets.
constexpr size_t score_stride(size_t size, size_t value_size) {
  return key_block(size, value_size) + kWidestVector;
}

// Where things lie in the scratch, in floats; every part is a multiple of the widest vector.
struct Layout {
  Layout(size_t size, size_t value_size)
      : keys(0),
        values(keys + key_block(size, value_size) * size),
        queries(values + key_block(size, value_size) * round_up(value_size, kWidestVector)),
        scores(round_up(queries + kMostRows * size, kWidestVector)),
        sums(round_up(scores + kMostRows * score_stride(size, value_size), kWidestVector)),
        maxima(sums + kTiledRows),
        results(maxima + kTiledRows),
        rounded(results + kTiledRows * round_up(value_size, kWidestVector)),
        end(rounded + 2 * kWidestVector * round_up(size, kWidestVector)) {}
  size_t keys, values, queries, scores, sums, maxima, results, rounded, end;
};

// Rows that are computed together: some queries of one head, or all queries of some heads.
struct RowBlock {
  size_t head = 0, heads = 1;     // counted from the call's first
  size_t query = 0, queries = 0;  // of each head
  size_t row = 0;                 // of the call

  size_t rows() const { return heads * queries; }
};

// Keys of a call that are packed at a time.
struct KeyTile {
  size_t begin = 0, count = 0;  // among all keys
  const float* v = nullptr;     // the row of the first
  size_t v_stride = 0;
  bool finite = true;  // all values

  KeyRange range() const { return {begin, begin + count}; }
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

// scores[r][0, C lanes) = q[r] k for one panel of keys.
template <class Words, size_t R, size_t C>
HWY_INLINE void score_panel(const float* HWY_RESTRICT queries, const float* HWY_RESTRICT panel,
                            size_t words, float* HWY_RESTRICT scores, size_t stride) {
  const Float d;
  const size_t lanes = hn::Lanes(d);
  Vector sum[R][C];
  for (size_t r = 0; r < R; ++r) {
    for (size_t c = 0; c < C; ++c) sum[r][c] = hn::Zero(d);
  }
  for (size_t i = 0; i < words; ++i, panel += C * lanes, queries += R) {
    Vector k[C];
    for (size_t c = 0; c < C; ++c) k[c] = hn::Load(d, panel + c * lanes);
    for (size_t r = 0; r < R; ++r) {
      const auto q = hn::Set(d, queries[r]);
      for (size_t c = 0; c < C; ++c) sum[r][c] = Words::mul_add(q, k[c], sum[r][c]);
    }
  }
  for (size_t r = 0; r < R; ++r) {
    for (size_t c = 0; c < C; ++c) hn::Store(sum[r][c], d, scores + r * stride + c * lanes);
  }
}

// results[r] (+)= weights[r] values, for one chunk of C vectors of columns and the first `rows` r.
template <class Words, size_t R, size_t C>
HWY_INLINE void value_chunk(const float* HWY_RESTRICT weights, size_t weight_stride,
                            const float* HWY_RESTRICT chunk, size_t words, bool first, size_t rows,
                            float* HWY_RESTRICT results, size_t result_stride) {
  const Float d;
  const size_t lanes = hn::Lanes(d);
  Vector sum[R][C];
  for (size_t r = 0; r < R; ++r) {
    for (size_t c = 0; c < C; ++c) {
      sum[r][c] =
          first || r >= rows ? hn::Zero(d) : hn::Load(d, results + r * result_stride + c * lanes);
    }
  }
  for (size_t j = 0; j < words; ++j, chunk += C * lanes) {
    Vector v[C];
    for (size_t c = 0; c < C; ++c) v[c] = hn::Load(d, chunk + c * lanes);
    for (size_t r = 0; r < R; ++r) {
      const auto w = hn::Set(d, weights[r * weight_stride + j]);
      for (size_t c = 0; c < C; ++c) sum[r][c] = Words::mul_add(w, v[c], sum[r][c]);
    }
  }
  for (size_t r = 0; r < R && r < rows; ++r) {
    for (size_t c = 0; c < C; ++c) hn::Store(sum[r][c], d, results + r * result_stride + c * lanes);
  }
}

// What is kept of a query between blocks of keys.
struct Running {
  float* maximum;  // of the scores so far
  float* sum;      // of exp(score - maximum)
  float* result;   // sum of exp(score - maximum) v, [value size rounded up to vectors]
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

// A call, and what is looked up once for it.
struct Call {
  Call(const TiledAttention& a, float* scratch)
      : a(a),
        at(a.size, a.value_size),
        scratch(scratch),
        keys(a.past.count + a.keys.count),
        width(round_up(a.value_size, hn::Lanes(Float()))),
        banded(a.rule->has_band() || a.rule->visible_keys < keys),
        adjusts(a.rule->adjusts()) {}

  // Keys that queries of the call see.
  KeyRange band(size_t query, size_t queries) const {
    return banded ? a.rule->band(a.first_query + query, queries, keys) : KeyRange{0, keys};
  }
  Running running(size_t row) const {
    return {scratch + at.maxima + row, scratch + at.sums + row, scratch + at.results + row * width};
  }

  const TiledAttention& a;
  const Layout at;
  float* const scratch;
  const size_t keys;
  const size_t width;  // of a row of results
  const bool banded;
  const bool adjusts;
};

// The keys of a tile that a query of the call sees, counted from the tile's first.
HWY_INLINE KeyRange seen_of(const Call& c, const KeyTile& tile, size_t query) {
  if (!c.banded) return {0, tile.count};
  const KeyRange seen = c.band(query, 1).within(tile.range());
  return seen.empty() ? KeyRange{} : KeyRange{seen.begin - tile.begin, seen.end - tile.begin};
}

// Scores [all.begin, all.end) of a query, as q k^T has left them, become weights relative to the
// running maximum. The range is a whole number of vectors and holds those that the query sees.
HWY_INLINE void weigh(const Call& c, const KeyTile& tile, size_t head, size_t query, KeyRange all,
                      bool first, float* scores, const Running& running) {
  KeyRange seen = seen_of(c, tile, query);
  if (seen.empty()) seen = {all.begin, all.begin};
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  for (size_t key = all.begin; key < seen.begin; ++key) scores[key] = kHidden;
  for (size_t key = seen.end; key < all.end; ++key) scores[key] = kHidden;
  if (c.adjusts && !seen.empty()) {
    adjust_scores(Float(), *c.a.rule, c.a.first_head + head, c.a.first_query + query,
                  tile.begin + seen.begin, seen.end - seen.begin, scores + seen.begin);
  }
  exponentials(scores + all.begin, all.end - all.begin, c.width, c.adjusts ? 1 : c.a.rule->scale,
               first, running);
}

// results += weights times values of words [words.begin, words.end), without those that a query
// does not see: a product would carry 0 times NaN to it. With the bits of the product.
template <class Words>
void add_seen(const Call& c, const RowBlock& block, const KeyTile& tile, KeyRange words, bool first,
              const float* weights, size_t stride) {
  const Float d;
  const size_t lanes = hn::Lanes(d);
  for (size_t r = 0; r < block.rows(); ++r) {
    const size_t head = block.head + r / block.queries, query = block.query + r % block.queries;
    float* result = c.running(block.row + r).result;
    if (first) std::memset(result, 0, c.width * sizeof(float));
    const KeyRange seen = seen_of(c, tile, query);
    for (size_t word = words.begin; word < words.end; ++word) {
      const size_t key = word * Words::kNumbers;
      bool visible[Words::kNumbers];
      bool any = false;
      for (size_t i = 0; i < Words::kNumbers; ++i) {
        visible[i] = key + i >= seen.begin && key + i < seen.end &&
                     !hidden(*c.a.rule, c.a.first_head + head, c.a.first_query + query,
                             tile.begin + key + i);
        any |= visible[i];
      }
      if (!any) continue;
      const auto w = hn::Set(d, weights[r * stride + word]);
      for (size_t column = 0; column < c.width; column += lanes) {
        const size_t n = HWY_MIN(lanes, c.a.value_size - column);
        const auto v = Words::of_rows([&](size_t i) HWY_ATTR {
          return visible[i] ? load_up_to(d, tile.v + (key + i) * tile.v_stride + column, n)
                            : hn::Zero(d);
        });
        hn::Store(Words::mul_add(w, v, hn::Load(d, result + column)), d, result + column);
      }
    }
  }
}

// One block of at most R rows against a tile of packed keys and values.
template <class Words, size_t R>
void row_block(const Call& c, const RowBlock& block, const KeyTile& tile) {
  const TiledAttention& a = c.a;
  const size_t lanes = hn::Lanes(Float());
  const KeyRange band = c.band(block.query, block.queries), part = band.within(tile.range());
  if (part.empty()) return;
  const bool first = band.begin >= tile.begin;
  const size_t stride = score_stride(a.size, a.value_size);
  const size_t rows = block.rows(), depth = words_of<Words>(a.size);

  float* queries = c.scratch + c.at.queries;
  if (rows < R) std::memset(queries, 0, R * depth * sizeof(float));
  for (size_t h = 0; h < block.heads; ++h) {
    transpose_words<Words>(a.q + (block.head + h) * a.q_head + block.query * a.q_stride, a.q_stride,
                           block.queries, a.size, R, queries + h * block.queries,
                           c.scratch + c.at.rounded);
  }

  // Whole panels of two vectors of keys; the tile's last may have one.
  const KeyRange seen{part.begin - tile.begin, part.end - tile.begin};
  float* scores = c.scratch + c.at.scores;
  KeyRange panels;
  panels.begin = panels.end = seen.begin / (2 * lanes) * (2 * lanes);
  const float* panel = c.scratch + c.at.keys + panels.begin * depth;
  while (panels.end + lanes < tile.count && panels.end < seen.end) {
    score_panel<Words, R, 2>(queries, panel, depth, scores + panels.end, stride);
    panels.end += 2 * lanes;
    panel += 2 * lanes * depth;
  }
  if (panels.end < seen.end) {
    score_panel<Words, R, 1>(queries, panel, depth, scores + panels.end, stride);
    panels.end += lanes;
  }

  size_t r = 0;
  for (size_t h = 0; h < block.heads; ++h) {
    for (size_t i = 0; i < block.queries; ++i, ++r) {
      weigh(c, tile, block.head + h, block.query + i, panels, first, scores + r * stride,
            c.running(block.row + r));
    }
  }

  // A number of a word that is not seen has a weight of 0.
  const KeyRange words{seen.begin / Words::kNumbers, words_of<Words>(seen.end)};
  if constexpr (Words::kNumbers > 1) {
    for (r = 0; r < rows; ++r) {
      float* row = scores + r * stride;
      Words::round_row(row + panels.begin, panels.end - panels.begin,
                       row + panels.begin / Words::kNumbers);
    }
  }
  if (!tile.finite && (c.banded || a.rule->hides()))
    return add_seen<Words>(c, block, tile, words, first, scores, stride);
  float* results = c.running(block.row).result;
  const float* weights = scores + words.begin;
  const float* chunk = c.scratch + c.at.values;
  const size_t count = words.end - words.begin, all = words_of<Words>(tile.count);
  size_t column = 0;
  for (; column + lanes < a.value_size; column += 2 * lanes, chunk += 2 * lanes * all) {
    value_chunk<Words, R, 2>(weights, stride, chunk + words.begin * 2 * lanes, count, first, rows,
                             results + column, c.width);
  }
  if (column < a.value_size) {
    value_chunk<Words, R, 1>(weights, stride, chunk + words.begin * lanes, count, first, rows,
                             results + column, c.width);
  }
}

// The smallest compiled block of at least the rows there are.
template <class Words>
void any_row_block(const Call& c, const RowBlock& block, const KeyTile& tile) {
  const size_t rows = block.rows();
  if (rows <= 1) return row_block<Words, 1>(c, block, tile);
  if (rows <= 2) return row_block<Words, 2>(c, block, tile);
  if (rows <= 4 || kRows == 4) return row_block<Words, 4>(c, block, tile);
  if constexpr (kRows > 4) {
    if (rows <= 6 || kRows == 6) return row_block<Words, 6>(c, block, tile);
  }
  if constexpr (kRows > 6) {
    if (rows <= 8) return row_block<Words, 8>(c, block, tile);
    if (rows <= 10) return row_block<Words, 10>(c, block, tile);
    return row_block<Words, kRows>(c, block, tile);
  }
}

// Calls body(block) for all rows: those of a head in blocks of about equal height, so that the last
// one is not nearly empty, or several heads that have few.
template <typename Body>
void for_each_block(const TiledAttention& a, const Body& body) {
  const size_t blocks = (a.queries + kRows - 1) / kRows;
  const size_t height = (a.queries + blocks - 1) / blocks;
  const size_t heads = std::max<size_t>(kRows / a.queries, 1);
  RowBlock block;
  for (; block.head < a.heads; block.head += block.heads) {
    block.heads = std::min(heads, a.heads - block.head);
    for (block.query = 0; block.query < a.queries; block.query += height) {
      block.queries = std::min(height, a.queries - block.query);
      body(block);
      block.row += block.rows();
    }
  }
}

// The rows of a part of the keys, before which `before` come.
template <class Words>
void attend_to(const Call& c, const KeyRows& rows, size_t before) {
  const TiledAttention& a = c.a;
  const KeyRange part = c.band(0, a.queries).within({before, before + rows.count});
  KeyTile tile{.v_stride = rows.v_stride};
  for (tile.begin = part.begin; tile.begin < part.end; tile.begin += tile.count) {
    tile.count = std::min(key_block(a.size, a.value_size), part.end - tile.begin);
    const size_t key = tile.begin - before;
    tile.v = rows.v + key * rows.v_stride;
    pack_keys<Words>(rows.k + key * rows.k_stride, rows.k_stride, tile.count, a.size,
                     c.scratch + c.at.keys, c.scratch + c.at.rounded);
    tile.finite = pack_values<Words>(tile.v, rows.v_stride, tile.count, a.value_size,
                                     c.scratch + c.at.values);
    for_each_block(a, [&](const RowBlock& block) { any_row_block<Words>(c, block, tile); });
  }
}

// out = result / sum of one query.
void write_out(const Running& running, size_t size, float* out) {
  if (*running.sum == 0) {  // nothing seen: the result has perhaps not even been begun
    std::memset(out, 0, size * sizeof(float));
    return;
  }
  const Float d;
  const size_t lanes = hn::Lanes(d);
  const auto inverse = hn::Set(d, 1.0f / *running.sum);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes)
    hn::StoreU(hn::Mul(inverse, hn::Load(d, running.result + i)), d, out + i);
  if (i < size)
    store_partial(d, hn::Mul(inverse, hn::Load(d, running.result + i)), out + i, size - i);
}

template <class Words>
void attend(const TiledAttention& a, float* scratch) {
  const Call c(a, scratch);
  std::fill_n(scratch + c.at.sums, a.heads * a.queries, 0.0f);
  attend_to<Words>(c, a.past, 0);
  attend_to<Words>(c, a.keys, a.past.count);
  for_each_block(a, [&](const RowBlock& block) {
    for (size_t r = 0; r < block.rows(); ++r) {
      write_out(c.running(block.row + r), a.value_size,
                a.out + (block.head + r / block.queries) * a.out_head +
                    (block.query + r % block.queries) * a.out_stride);
    }
  });
}

void tiled_attention_kernel(const TiledAttention& a, float* scratch) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if (a.bf16) return attend<Bf16Words>(a, scratch);
#endif
  attend<F32Words>(a, scratch);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headway {

HWY_EXPORT(tiled_attention_kernel);

size_t tiled_attention_scratch(size_t size, size_t value_size) {
  return Layout(size, value_size).end * sizeof(float);
}

void tiled_attention(const TiledAttention& a, std::byte* scratch) {
  HWY_DYNAMIC_DISPATCH(tiled_attention_kernel)(a, reinterpret_cast<float*>(scratch));
}

}  // namespace headway
#endif
