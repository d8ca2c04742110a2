// Tiled attention on every target against the oracle.
#include "engine/kernels/tiled_attention.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "engine/kernels/quantize.hpp"
#include "engine/platform/isa.hpp"
#include "tests/kernels/kernel_test.hpp"
#include "tests/kernels/random_rule.hpp"
#include "tests/reference/attention.hpp"

namespace headway::test {
namespace {

struct Case {
  size_t queries, keys, size;
  bool bf16 = false;
};

// Runs `check`, with and without bf16, on each target of this CPU.
template <typename Check>
void on_each_arithmetic(const Check& check) {
  on_each_target([&] {
    check(false);
    if (max_isa() < Isa::avx512_bf16) return;
    SCOPED_TRACE("bf16");
    check(true);
  });
}

// What bf16 holds exactly, so that only the weights are rounded.
void shorten(std::span<float> values) {
  for (float& value : values)
    value = std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xffff0000u);
}

// A rounding of weights to bf16 moves a result by at most this, relative to the largest value.
constexpr double kBf16Unit = 1.0 / (1 << 9);

// Rows of q, k and v side by side with a gap, as in a qkv row.
struct Data {
  explicit Data(const Case& c, float deviation = 1)
      : stride(3 * c.size + 5),
        rows(normal_values(std::max(c.queries, c.keys) * stride, 0, deviation)) {
    if (c.bf16) shorten(rows);
  }
  const float* q() const { return rows.data(); }
  const float* k(const Case& c) const { return rows.data() + c.size; }
  const float* v(const Case& c) const { return rows.data() + 2 * c.size; }

  size_t stride;
  std::vector<float> rows;
};

struct Free {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};

// Exactly what was promised to be enough, so that a sanitizer sees what lies beyond.
std::unique_ptr<std::byte, Free> scratch_for(size_t size, size_t value_size) {
  return std::unique_ptr<std::byte, Free>(static_cast<std::byte*>(
      ::operator new[](tiled_attention_scratch(size, value_size), std::align_val_t{64})));
}

std::vector<float> run(const Case& c, const Data& data, float scale) {
  std::vector<float> out(c.queries * c.size, kNaN);
  const auto scratch = scratch_for(c.size, c.size);
  const ScoreRule rule{.scale = scale};
  for (size_t query = 0; query < c.queries; query += kTiledRows) {
    tiled_attention({.q = data.q() + query * data.stride,
                     .out = out.data() + query * c.size,
                     .keys = {data.k(c), data.v(c), c.keys, data.stride, data.stride},
                     .queries = std::min(kTiledRows, c.queries - query),
                     .size = c.size,
                     .value_size = c.size,
                     .q_stride = data.stride,
                     .out_stride = c.size,
                     .rule = &rule,
                     .first_query = query,
                     .bf16 = c.bf16},
                    scratch.get());
  }
  return out;
}

double largest_magnitude(std::span<const float> values) {
  double largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(double{value}));
  return largest;
}

void expect_oracle(const Case& c, const Data& data, float scale) {
  SCOPED_TRACE(testing::Message() << c.queries << " x " << c.keys << " x " << c.size);
  const std::vector<double> wide = reference::widen(data.rows);
  const auto rows = [&](size_t begin, size_t count) {
    return reference::Rows{wide.data() + begin, count, data.stride};
  };
  const std::vector<double> exact = reference::attention(rows(0, c.queries), rows(c.size, c.keys),
                                                         rows(2 * c.size, c.keys), 1, c.size, scale)
                                        .output;
  // A score is a sum of `size` products; its error moves weights by as much, relative to them. The
  // values' own sum adds less.
  double tolerance = 64 * kUnit * std::sqrt(static_cast<double>(c.size));
  if (c.bf16) tolerance += kBf16Unit * largest_magnitude(data.rows);
  const std::vector<float> out = run(c, data, scale);
  for (size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], exact[i], tolerance) << i;
}

TEST(TiledAttention, agrees_with_the_oracle) {
  on_each_arithmetic([](bool bf16) {
    for (const size_t size : {1, 3, 8, 20, 32, 64, 80}) {
      for (const size_t tokens : {1, 2, 5, 7, 12, 13, 16, 17, 31, 33, 64, 100}) {
        const Case c{tokens, tokens, size, bf16};
        expect_oracle(c, Data(c), 1 / std::sqrt(static_cast<float>(size)));
      }
    }
  });
}

TEST(TiledAttention, agrees_over_several_blocks_of_keys_and_queries) {
  on_each_arithmetic([](bool bf16) {
    for (Case c : {Case{3, 1100, 32}, Case{200, 513, 16}, Case{7, 300, 128}, Case{5, 140, 256},
                   Case{400, 9, 8}}) {
      c.bf16 = bf16;
      expect_oracle(c, Data(c), 1 / std::sqrt(static_cast<float>(c.size)));
    }
  });
}

// Keys of a later block that outweigh all before make the running results shrink to nothing.
TEST(TiledAttention, follows_a_maximum_that_rises_from_block_to_block) {
  on_each_arithmetic([](bool bf16) {
    const Case c{4, 1300, 8, bf16};
    Data data(c);
    for (size_t key = 0; key < c.keys; ++key) {
      for (size_t i = 0; i < c.size; ++i)
        data.rows[key * data.stride + c.size + i] *= static_cast<float>(key) / 100;
    }
    if (bf16) shorten(data.rows);
    expect_oracle(c, data, 1);
  });
}

TEST(TiledAttention, of_huge_scores_takes_the_largest) {
  on_each_arithmetic([](bool bf16) {
    const Case c{2, 40, 4, bf16};
    Data data(c);
    for (size_t key = 0; key < c.keys; ++key) {
      for (size_t i = 0; i < c.size; ++i)
        data.rows[key * data.stride + c.size + i] = key == 29 ? 1e30f : -1e30f;
    }
    for (size_t query = 0; query < c.queries; ++query)
      std::fill_n(&data.rows[query * data.stride], c.size, 1.0f);
    const std::vector<float> out = run(c, data, 1);
    for (size_t query = 0; query < c.queries; ++query) {
      for (size_t i = 0; i < c.size; ++i)
        EXPECT_EQ(out[query * c.size + i], data.rows[29 * data.stride + 2 * c.size + i]);
    }
  });
}

TEST(TiledAttention, of_equal_keys_is_the_mean) {
  on_each_arithmetic([](bool bf16) {
    const Case c{13, 50, 8, bf16};
    Data data(c);
    for (size_t key = 0; key < c.keys; ++key)
      std::fill_n(&data.rows[key * data.stride + c.size], c.size, 0.5f);
    expect_oracle(c, data, 1);
  });
}

// A query's bits do not depend on the queries it is computed with, nor on where the rows lie.
TEST(TiledAttention, gives_a_query_the_same_bits_alone) {
  on_each_arithmetic([](bool bf16) {
    const Case c{29, 37, 20, bf16};
    const Data data(c);
    const std::vector<float> all = run(c, data, 0.2f);
    for (size_t query = 0; query < c.queries; ++query) {
      Data shifted = data;
      std::copy_n(data.q() + query * data.stride, c.size, shifted.rows.begin());
      const std::vector<float> alone = run({1, c.keys, c.size, bf16}, shifted, 0.2f);
      EXPECT_TRUE(same_bits(alone, std::span(all).subspan(query * c.size, c.size))) << query;
    }
  });
}

TEST(TiledAttention, stays_within_its_arrays) {
  on_each_arithmetic([](bool bf16) {
    for (const Case& c : {Case{5, 6, 3}, Case{13, 17, 20}, Case{33, 33, 8}}) {
      const std::vector<float> queries = normal_values(c.queries * c.size);
      const std::vector<float> keys = normal_values(c.keys * c.size);
      for (const Guard guard : kGuards) {
        Guarded q(queries, guard), k(keys, guard), v(keys, guard), out(queries, guard);
        const auto scratch = scratch_for(c.size, c.size);
        const ScoreRule rule;
        tiled_attention({.q = q.data(),
                         .out = out.data(),
                         .keys = {k.data(), v.data(), c.keys, c.size, c.size},
                         .queries = c.queries,
                         .size = c.size,
                         .value_size = c.size,
                         .q_stride = c.size,
                         .out_stride = c.size,
                         .rule = &rule,
                         .bf16 = bf16},
                        scratch.get());
      }
    }
  });
}

// Heads that share their keys, past keys, values of another size, and any rule: every row as the
// scalar scores and their softmax say.
TEST(TiledAttention, agrees_with_the_oracle_under_any_rule) {
  on_each_arithmetic([](bool bf16) {
    for (uint32_t seed = 0; seed < 60; ++seed) {
      std::mt19937 random(seed);
      const auto below = [&](size_t n) { return random() % n; };
      const size_t heads = 1 + below(3), queries = 1 + below(60), past = below(3) * below(40);
      const size_t count = 1 + below(seed % 4 == 0 ? 700 : 90), size = 1 + below(40);
      const size_t value_size = 1 + below(40), keys = past + count;
      SCOPED_TRACE(testing::Message()
                   << "seed " << seed << ": " << heads << " heads, " << queries << " queries, "
                   << past << " + " << count << " keys, sizes " << size << " and " << value_size);
      const RandomRule made(random, 2 + heads, 3 + queries, keys);
      const ScoreRule& rule = made.rule;
      std::vector<float> q = normal_values(heads * queries * size, 0, 1, seed);
      std::vector<float> k = normal_values(keys * size, 0, 1, seed + 1);
      std::vector<float> v = normal_values(keys * value_size, 0, 1, seed + 2);
      if (bf16) {
        for (auto* values : {&q, &k, &v}) shorten(*values);
      }
      const double rounding = bf16 ? kBf16Unit * largest_magnitude(v) : 0;
      // What nobody sees may be anything.
      std::vector<std::vector<double>> scores;
      std::vector<bool> seen(keys);
      for (size_t row = 0; row < heads * queries; ++row) {
        std::vector<double> dots(keys);
        for (size_t j = 0; j < keys; ++j)
          for (size_t i = 0; i < size; ++i)
            dots[j] += double{q[row * size + i]} * double{k[j * size + i]};
        scores.push_back(expected_scores(rule, 2 + row / queries, 3 + row % queries, dots));
        for (size_t j = 0; j < keys; ++j) seen[j] = seen[j] || scores.back()[j] != -kInfinity;
      }
      for (size_t j = 0; j < keys; ++j) {
        if (seen[j]) continue;
        std::fill_n(&k[j * size], size, kNaN);
        std::fill_n(&v[j * value_size], value_size, j % 2 == 0 ? kNaN : kInfinity);
      }
      std::vector<float> out(heads * queries * value_size, kNaN);
      const auto scratch = scratch_for(size, value_size);
      tiled_attention(
          {.q = q.data(),
           .out = out.data(),
           .past = {k.data(), v.data(), past, size, value_size},
           .keys = {k.data() + past * size, v.data() + past * value_size, count, size, value_size},
           .heads = heads,
           .queries = queries,
           .size = size,
           .value_size = value_size,
           .q_head = queries * size,
           .q_stride = size,
           .out_head = queries * value_size,
           .out_stride = value_size,
           .rule = &rule,
           .first_head = 2,
           .first_query = 3,
           .bf16 = bf16},
          scratch.get());
      for (size_t row = 0; row < heads * queries; ++row) {
        const std::vector<double> weights = reference::softmax(scores[row], 1);
        double largest = std::sqrt(static_cast<double>(size));
        for (const double score : scores[row])
          if (std::isfinite(score)) largest = std::max(largest, std::abs(score));
        for (size_t i = 0; i < value_size; ++i) {
          double sum = 0;
          for (size_t j = 0; j < keys; ++j)
            if (weights[j] > 0) sum += weights[j] * double{v[j * value_size + i]};
          ASSERT_NEAR(out[row * value_size + i], sum, 64 * kUnit * largest + rounding)
              << "row " << row << ", " << i;
        }
      }
    }
  });
}

// Rounding q, k and v is all that tells bf16 from what it gets rounded, and it does round.
TEST(TiledAttention, rounds_to_nearest_bf16) {
  if (max_isa() < Isa::avx512_bf16) return;
  const Case c{20, 30, 16};
  const Data data(c);
  Data rounded = data;
  for (float& value : rounded.rows) {
    uint16_t half;
    to_bf16(&value, 1, &half);
    value = std::bit_cast<float>(uint32_t{half} << 16);
  }
  const Case in_bf16{c.queries, c.keys, c.size, true};
  const std::vector<float> out = run(in_bf16, data, 0.25f);
  EXPECT_TRUE(same_bits(out, run(in_bf16, rounded, 0.25f)));
  EXPECT_FALSE(same_bits(out, run(c, rounded, 0.25f))) << "computed in f32?";
}

// A hidden NaN costs a visible bit no query.
TEST(TiledAttention, gives_the_same_bits_whatever_is_hidden) {
  on_each_arithmetic([](bool bf16) {
    const Case c{50, 50, 20, bf16};
    Data data(c);
    const auto causal = [&] {
      std::vector<float> out(c.queries * c.size);
      const auto scratch = scratch_for(c.size, c.size);
      const ScoreRule rule{.last = 0};
      tiled_attention({.q = data.q(),
                       .out = out.data(),
                       .keys = {data.k(c), data.v(c), c.keys, data.stride, data.stride},
                       .queries = c.queries,
                       .size = c.size,
                       .value_size = c.size,
                       .q_stride = data.stride,
                       .out_stride = c.size,
                       .rule = &rule,
                       .bf16 = bf16},
                      scratch.get());
      return out;
    };
    const std::vector<float> all = causal();
    for (const size_t bad : {1, 13, 49}) {
      Data clean = data;
      std::fill_n(&data.rows[bad * data.stride + c.size], 2 * c.size, kNaN);
      const std::vector<float> out = causal();
      EXPECT_TRUE(
          same_bits(std::span(out).first(bad * c.size), std::span(all).first(bad * c.size)));
      for (size_t i = bad * c.size; i < out.size(); ++i) ASSERT_TRUE(std::isnan(out[i])) << i;
      data = clean;
    }
  });
}

}  // namespace
}  // namespace headway::test
