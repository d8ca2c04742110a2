// Matrix products against a double-precision oracle, and what their bits depend on.
#include "engine/ops/onednn.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "engine/ops/instruction_set.hpp"
#include "tests/ops/operand.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

constexpr double kUnit = 0x1p-24;  // f32's unit roundoff
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// B [k, n], packed.
class PackedWeight {
 public:
  PackedWeight(Precision precision, const Operand& weights, int64_t k, int64_t n)
      : packed_(static_cast<int64_t>(packed_weight_bytes(precision, k, n))) {
    pack_weight(precision, weights.bytes.data(), k, n, packed_.data());
  }
  const std::byte* data() const { return packed_.data(); }

 private:
  Placed<std::byte> packed_;
};

// Runs a product into c, with a copy of `a` and scratch of its own.
void run(const Gemm& gemm, std::span<const std::byte> a, const void* b, void* c,
         size_t a_offset = 0) {
  Placed<std::byte> from(static_cast<int64_t>(a.size()), {}, a_offset);
  std::memcpy(from.data(), a.data(), a.size());
  Placed<std::byte> scratch(static_cast<int64_t>(gemm.scratch_bytes()));
  gemm.run(from.data(), b, c, scratch.data());
}

// The sum of a[i * a_step] b[i * b_step] and that of its magnitudes, which bounds the error.
struct Dot {
  double sum = 0, magnitude = 0;
  Dot(const double* a, int64_t a_step, const double* b, int64_t b_step, int64_t k) {
    for (int64_t i = 0; i < k; ++i) {
      const double product = a[i * a_step] * b[i * b_step];
      sum += product;
      magnitude += std::abs(product);
    }
  }
  // k products and k sums in any order, each rounded.
  double tolerance(int64_t k) const { return static_cast<double>(k + 1) * kUnit * magnitude; }
};

class OnednnTest : public testing::Test {
 protected:
  void SetUp() override { hold_instruction_set(); }
};

using PackedGemm = OnednnTest;
using BatchedGemm = OnednnTest;

TEST_F(PackedGemm, is_the_product_for_ragged_sizes) {
  Random random(1);
  for (const Precision precision : product_precisions()) {
    for (const int64_t k : {1, 3, 16, 65, 384}) {
      for (const int64_t n : {1, 7, 16, 100, 192}) {
        const Operand weights(random, precision, n * k);
        const PackedWeight packed(precision, weights, k, n);
        for (const int64_t m : {1, 5, 8, 16, 48, 64}) {
          SCOPED_TRACE(testing::Message()
                       << to_string(precision) << " m " << m << " k " << k << " n " << n);
          const Operand a(random, precision, m * k, true);
          Placed<uint32_t> c(m * n + 1, 0xabcdef01u);
          run(*packed_gemm({precision, m, k, n}), a.bytes, packed.data(), c.data());
          ASSERT_EQ(c.data()[m * n], 0xabcdef01u);
          for (int64_t i = 0; i < m * n; ++i) {
            const Dot exact(&a.values[i / n * k], 1, &weights.values[i % n * k], 1, k);
            if (precision == Precision::int8) {
              ASSERT_EQ(static_cast<int32_t>(c.data()[i]), exact.sum) << i;
            } else {
              ASSERT_NEAR(std::bit_cast<float>(c.data()[i]), exact.sum, exact.tolerance(k)) << i;
            }
          }
        }
      }
    }
  }
}

// What bits may depend on is looked for at these sizes: the K of small and large models, and
// panels of one output, of whole vectors, and of neither.
template <typename Check>
void for_each_weight(const Check& check) {
  Random random(2);
  for (const Precision precision : product_precisions()) {
    for (const int64_t k : {64, 384, 1536, 3072}) {
      for (const int64_t n : {1, 16, 100, 192}) {
        SCOPED_TRACE(testing::Message() << to_string(precision) << " k " << k << " n " << n);
        const Operand weights(random, precision, n * k);
        const Operand a(random, precision, 64 * k, true);
        check(precision, k, n, a, PackedWeight(precision, weights, k, n));
      }
    }
  }
}

// A product's 64 rows, made 16 at a time.
std::vector<uint32_t> by_sixteen(Precision precision, int64_t k, int64_t n, const Operand& a,
                                 const PackedWeight& packed) {
  std::vector<uint32_t> c(static_cast<size_t>(64 * n));
  const auto gemm = packed_gemm({precision, 16, k, n});
  const size_t bytes = a.bytes.size() / 4;
  for (size_t i = 0; i < 4; ++i)
    run(*gemm, std::span(a.bytes).subspan(i * bytes, bytes), packed.data(), &c[i * 16 * n]);
  return c;
}

// Heights that Linear runs products with: others than 16 rows only where that changes no bit.
std::vector<int64_t> heights(Precision precision) {
  if (!packed_bits_free_of_rows(precision)) return {16};
  return {8, 16, 24, 32, 40, 48, 56, 64};
}

TEST_F(PackedGemm, has_bits_free_of_the_number_of_rows_where_it_says_so) {
  for_each_weight(
      [](Precision precision, int64_t k, int64_t n, const Operand& a, const PackedWeight& packed) {
        const std::vector<uint32_t> expected = by_sixteen(precision, k, n, a, packed);
        const size_t row_bytes = a.bytes.size() / 64;
        for (const int64_t m : heights(precision)) {
          const auto gemm = packed_gemm({precision, m, k, n});
          for (int64_t first = 0; first + m <= 64; first += 8) {
            std::vector<uint32_t> c(static_cast<size_t>(m * n));
            run(*gemm, std::span(a.bytes).subspan(first * row_bytes, m * row_bytes), packed.data(),
                c.data());
            EXPECT_EQ(std::memcmp(c.data(), &expected[first * n], c.size() * sizeof(float)), 0)
                << "rows " << first << " to " << first + m;
          }
        }
      });
}

TEST_F(PackedGemm, has_bits_free_of_the_rows_beside) {
  for_each_weight(
      [](Precision precision, int64_t k, int64_t n, const Operand& a, const PackedWeight& packed) {
        const int64_t m = heights(precision).back();
        const auto gemm = packed_gemm({precision, m, k, n});
        const size_t bytes = static_cast<size_t>(m) * a.bytes.size() / 64;
        const size_t row_bytes = a.bytes.size() / 64;
        std::vector<uint32_t> expected(static_cast<size_t>(m * n)), c(expected.size());
        run(*gemm, std::span(a.bytes).first(bytes), packed.data(), expected.data());
        // The first row alone among zeros, and rotated to the end.
        std::vector<std::byte> alone(bytes), rotated(bytes);
        std::memcpy(alone.data(), a.bytes.data(), row_bytes);
        std::memcpy(rotated.data(), a.bytes.data() + row_bytes, bytes - row_bytes);
        std::memcpy(rotated.data() + bytes - row_bytes, a.bytes.data(), row_bytes);
        run(*gemm, alone, packed.data(), c.data());
        EXPECT_EQ(std::memcmp(c.data(), expected.data(), n * sizeof(float)), 0);
        run(*gemm, rotated, packed.data(), c.data());
        EXPECT_EQ(std::memcmp(&c[(m - 1) * n], expected.data(), n * sizeof(float)), 0);
        EXPECT_EQ(std::memcmp(c.data(), &expected[n], (m - 1) * n * sizeof(float)), 0);
      });
}

TEST_F(PackedGemm, has_bits_free_of_alignment) {
  for_each_weight(
      [](Precision precision, int64_t k, int64_t n, const Operand& a, const PackedWeight& packed) {
        const std::vector<uint32_t> expected = by_sixteen(precision, k, n, a, packed);
        for (const int64_t m : {heights(precision).front(), heights(precision).back()}) {
          const auto gemm = packed_gemm({precision, m, k, n});
          const auto rows = std::span(a.bytes).first(m * a.bytes.size() / 64);
          for (const size_t offset : {1, 3, 4, 8, 15}) {
            Placed<uint32_t> c(m * n, 0, offset);
            run(*gemm, rows, packed.data(), c.data(), offset * element_size(precision));
            EXPECT_EQ(std::memcmp(c.data(), expected.data(), m * n * sizeof(float)), 0)
                << m << " rows, " << offset << " elements beyond a cache line";
          }
        }
      });
}

TEST_F(PackedGemm, has_the_same_bits_on_many_threads_at_once) {
  for_each_weight(
      [](Precision precision, int64_t k, int64_t n, const Operand& a, const PackedWeight& packed) {
        const std::vector<uint32_t> expected = by_sixteen(precision, k, n, a, packed);
        const int64_t m = heights(precision).back();
        const auto gemm = packed_gemm({precision, m, k, n});
        const auto rows = std::span(a.bytes).first(m * a.bytes.size() / 64);
        std::vector<int> wrong(4);
        std::vector<std::thread> threads;
        for (int& count : wrong) {
          threads.emplace_back([&] {
            std::vector<uint32_t> c(static_cast<size_t>(m * n));
            for (int i = 0; i < 5; ++i) {
              run(*gemm, rows, packed.data(), c.data());
              count += std::memcmp(c.data(), expected.data(), c.size() * sizeof(float)) != 0;
            }
          });
        }
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(wrong, std::vector<int>(4));
      });
}

// A, B and C as numbers among which everything that belongs to no matrix is NaN.
void expect_batched_product(const BatchedGemmShape& s, Random& random) {
  const auto place = [](int64_t batches, int64_t batch, int64_t rows, int64_t row, int64_t columns,
                        int64_t column) {
    return (batches - 1) * batch + (rows - 1) * row + (columns - 1) * column + 1;
  };
  const auto fill = [&](int64_t size, int64_t batch, int64_t rows, int64_t row, int64_t columns,
                        int64_t column) {
    std::vector<float> values(static_cast<size_t>(size), kNaN);
    for (int64_t b = 0; b < s.batch; ++b) {
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns; ++c)
          values[b * batch + r * row + c * column] = random.uniform(-1, 1);
      }
    }
    return values;
  };
  const std::vector<float> a =
      fill(place(s.batch, s.a_batch, s.m, s.a_row, s.k, 1), s.a_batch, s.m, s.a_row, s.k, 1);
  const std::vector<float> b = fill(place(s.batch, s.b_batch, s.k, s.b_row, s.n, s.b_column),
                                    s.b_batch, s.k, s.b_row, s.n, s.b_column);
  std::vector<float> c(static_cast<size_t>(place(s.batch, s.c_batch, s.m, s.c_row, s.n, 1)), kNaN);
  const auto gemm = batched_gemm(s);
  Placed<std::byte> scratch(static_cast<int64_t>(gemm->scratch_bytes()));
  gemm->run(a.data(), b.data(), c.data(), scratch.data());

  const std::vector<double> wide_a(a.begin(), a.end()), wide_b(b.begin(), b.end());
  for (int64_t i = 0; i < s.batch; ++i) {
    for (int64_t row = 0; row < s.m; ++row) {
      for (int64_t column = 0; column < s.n; ++column) {
        const Dot exact(&wide_a[i * s.a_batch + row * s.a_row], 1,
                        &wide_b[i * s.b_batch + column * s.b_column], s.b_row, s.k);
        float& got = c[i * s.c_batch + row * s.c_row + column];
        ASSERT_NEAR(got, exact.sum, exact.tolerance(s.k)) << i << ' ' << row << ' ' << column;
        got = kNaN;
      }
    }
  }
  for (const float value : c) ASSERT_TRUE(std::isnan(value)) << "written outside C";
}

TEST_F(BatchedGemm, is_the_product_of_views_with_gaps) {
  Random random(3);
  for (const int64_t tokens : {1, 2, 7, 17, 64, 130}) {
    for (const int64_t keys : {1, 3, 16, 65}) {
      for (const int64_t size : {1, 8, 20, 32, 64}) {
        for (const int64_t heads : {1, 3}) {
          SCOPED_TRACE(testing::Message()
                       << tokens << " x " << keys << ", " << heads << " heads of " << size);
          // q k^T and w v of heads that lie side by side in rows of q, k and v together.
          const int64_t row = 3 * heads * size + 5;
          expect_batched_product(
              {heads, tokens, size, keys, size, row, size, 1, row, tokens * keys + 2, keys},
              random);
          expect_batched_product({heads, tokens, keys, size, tokens * keys, keys, size, row, 1,
                                  size, heads * size + 3},
                                 random);
        }
      }
    }
  }
}

TEST_F(OnednnTest, says_what_failed_and_takes_its_mark_off_the_thread) {
  expect_error(ErrorCode::internal, "oneDNN could not make a batched matmul: ", [] {
    batched_gemm({1, -3, 8, 8, 8, 8, 64, 8, 1, 64, 8});
  });
  EXPECT_FALSE(inside_onednn());
}

TEST_F(OnednnTest, makes_a_product_once) {
  EXPECT_EQ(packed_gemm({Precision::f32, 16, 24, 40}), packed_gemm({Precision::f32, 16, 24, 40}));
  EXPECT_NE(packed_gemm({Precision::f32, 16, 24, 40}), packed_gemm({Precision::f32, 32, 24, 40}));
}

}  // namespace
}  // namespace headway
