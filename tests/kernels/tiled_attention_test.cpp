// Tiled attention on every target against the oracle.
#include "engine/kernels/tiled_attention.hpp"

#include <algorithm>
#include <memory>

#include "tests/kernels/kernel_test.hpp"
#include "tests/reference/attention.hpp"

namespace headway::test {
namespace {

struct Case {
  size_t queries, keys, size;
};

// Rows of q, k and v side by side with a gap, as in a qkv row.
struct Data {
  explicit Data(const Case& c, float deviation = 1)
      : stride(3 * c.size + 5),
        rows(normal_values(std::max(c.queries, c.keys) * stride, 0, deviation)) {}
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
std::unique_ptr<std::byte, Free> scratch_for(size_t size) {
  return std::unique_ptr<std::byte, Free>(static_cast<std::byte*>(
      ::operator new[](tiled_attention_scratch(size), std::align_val_t{64})));
}

std::vector<float> run(const Case& c, const Data& data, float scale) {
  std::vector<float> out(c.queries * c.size, kNaN);
  const auto scratch = scratch_for(c.size);
  for (size_t query = 0; query < c.queries; query += kTiledQueries) {
    tiled_attention({.q = data.q() + query * data.stride,
                     .k = data.k(c),
                     .v = data.v(c),
                     .out = out.data() + query * c.size,
                     .queries = std::min(kTiledQueries, c.queries - query),
                     .keys = c.keys,
                     .size = c.size,
                     .q_stride = data.stride,
                     .k_stride = data.stride,
                     .v_stride = data.stride,
                     .out_stride = c.size,
                     .scale = scale},
                    scratch.get());
  }
  return out;
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
  const double tolerance = 64 * kUnit * std::sqrt(static_cast<double>(c.size));
  const std::vector<float> out = run(c, data, scale);
  for (size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], exact[i], tolerance) << i;
}

TEST(TiledAttention, agrees_with_the_oracle) {
  on_each_target([] {
    for (const size_t size : {1, 3, 8, 20, 32, 64, 80}) {
      for (const size_t tokens : {1, 2, 5, 7, 12, 13, 16, 17, 31, 33, 64, 100}) {
        const Case c{tokens, tokens, size};
        expect_oracle(c, Data(c), 1 / std::sqrt(static_cast<float>(size)));
      }
    }
  });
}

TEST(TiledAttention, agrees_over_several_blocks_of_keys_and_queries) {
  on_each_target([] {
    for (const Case& c : {Case{3, 1100, 32}, Case{200, 513, 16}, Case{7, 300, 128},
                          Case{5, 140, 256}, Case{400, 9, 8}}) {
      expect_oracle(c, Data(c), 1 / std::sqrt(static_cast<float>(c.size)));
    }
  });
}

// Keys of a later block that outweigh all before make the running results shrink to nothing.
TEST(TiledAttention, follows_a_maximum_that_rises_from_block_to_block) {
  on_each_target([] {
    const Case c{4, 1300, 8};
    Data data(c);
    for (size_t key = 0; key < c.keys; ++key) {
      for (size_t i = 0; i < c.size; ++i)
        data.rows[key * data.stride + c.size + i] *= static_cast<float>(key) / 100;
    }
    expect_oracle(c, data, 1);
  });
}

TEST(TiledAttention, of_huge_scores_takes_the_largest) {
  on_each_target([] {
    const Case c{2, 40, 4};
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
  on_each_target([] {
    const Case c{13, 50, 8};
    Data data(c);
    for (size_t key = 0; key < c.keys; ++key)
      std::fill_n(&data.rows[key * data.stride + c.size], c.size, 0.5f);
    expect_oracle(c, data, 1);
  });
}

// A query's bits do not depend on the queries it is computed with, nor on where the rows lie.
TEST(TiledAttention, gives_a_query_the_same_bits_alone) {
  on_each_target([] {
    const Case c{29, 37, 20};
    const Data data(c);
    const std::vector<float> all = run(c, data, 0.2f);
    for (size_t query = 0; query < c.queries; ++query) {
      Data shifted = data;
      std::copy_n(data.q() + query * data.stride, c.size, shifted.rows.begin());
      const std::vector<float> alone = run({1, c.keys, c.size}, shifted, 0.2f);
      EXPECT_TRUE(same_bits(alone, std::span(all).subspan(query * c.size, c.size))) << query;
    }
  });
}

TEST(TiledAttention, stays_within_its_arrays) {
  on_each_target([] {
    for (const Case& c : {Case{5, 6, 3}, Case{13, 17, 20}, Case{33, 33, 8}}) {
      const std::vector<float> queries = normal_values(c.queries * c.size);
      const std::vector<float> keys = normal_values(c.keys * c.size);
      for (const Guard guard : kGuards) {
        Guarded q(queries, guard), k(keys, guard), v(keys, guard), out(queries, guard);
        const auto scratch = scratch_for(c.size);
        tiled_attention({q.data(), k.data(), v.data(), out.data(), c.queries, c.keys, c.size,
                         c.size, c.size, c.size, c.size, 1},
                        scratch.get());
      }
    }
  });
}

}  // namespace
}  // namespace headway::test
