// PackedLinear against a double-precision oracle, and what its bits depend on.
#include "engine/ops/linear.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/ops/instruction_set.hpp"
#include "engine/runtime/parallel.hpp"
#include "tests/layers/stored_weight.hpp"
#include "tests/ops/operand.hpp"
#include "tests/reference/functions.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

constexpr double kUnit = 0x1p-24;  // f32's unit roundoff
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kCanary = 12345.5f;

enum class Residual { none, other, in_place };

// How a call is made, apart from its numbers.
struct How {
  Activation activation = Activation::none;
  Residual residual = Residual::none;
  bool padded = false;
  int threads = 1;
  const LayerNorm* norm = nullptr;
};

// A Linear with its packed weights.
class Packed {
 public:
  Packed(Precision precision, std::span<const LinearWeights> parts)
      : linear_(precision, parts[0].weight.shape()[1], outputs(parts), bool{parts[0].bias}),
        packed_(static_cast<int64_t>(linear_.packed_bytes()) + 1, std::byte{0xff}) {
    linear_.pack(parts, packed_.data());
    EXPECT_EQ(packed_.data()[linear_.packed_bytes()], std::byte{0xff});
  }
  Packed(Precision precision, const LinearWeights& weights)
      : Packed(precision, std::span(&weights, 1)) {}

  bool thin() const { return linear_.thin(packed_.data()); }

  // y [rows, out] for x [rows, in]. What must not be read is NaN, what must not be written is
  // looked at.
  std::vector<float> run(std::span<const float> x, std::span<const float> residual,
                         const How& how = {}) const {
    const int64_t in = linear_.in(), out = linear_.out();
    const int64_t rows = static_cast<int64_t>(x.size()) / in, room = (rows + 15) / 16 * 16;
    std::vector<float> from(x.begin(), x.end());
    if (how.padded) from.resize(room * in, kNaN);
    std::vector<float> y((rows + 32) * out, kCanary);
    float* to = y.data() + 16 * out;
    LinearCall call{.x = from.data(), .rows = rows, .padded = how.padded, .y = to};
    call.activation = how.activation;
    call.norm = how.norm;
    if (how.residual == Residual::other) call.residual = residual.data();
    if (how.residual == Residual::in_place) {
      std::copy(residual.begin(), residual.end(), to);
      call.residual = to;
    }
    const auto scratch_bytes = static_cast<int64_t>(linear_.thread_scratch(rows));
    run_team(how.threads, [&](Team& team) {
      EXPECT_EQ(team.size(), how.threads);
      Placed<std::byte> scratch(scratch_bytes, std::byte{0xff});
      linear_.run(team, call, packed_.data(), scratch.data());
    });
    EXPECT_EQ(std::count(y.data(), to, kCanary), 16 * out);
    EXPECT_EQ(std::count(to + rows * out, y.data() + y.size(), kCanary), 16 * out);
    return {to, to + rows * out};
  }

 private:
  static int64_t outputs(std::span<const LinearWeights> parts) {
    int64_t sum = 0;
    for (const LinearWeights& part : parts) sum += part.weight.shape()[0];
    return sum;
  }

  PackedLinear linear_;
  Placed<std::byte> packed_;
};

// Weights of n inputs each as a precision holds them.
std::vector<double> stored(Precision precision, std::span<const float> x, int64_t n) {
  std::vector<double> result(x.begin(), x.end());
  if (precision == Precision::bf16) {
    std::vector<uint16_t> bits(x.size());
    to_bf16(x.data(), x.size(), bits.data());
    std::transform(bits.begin(), bits.end(), result.begin(), bf16_to_f32);
  }
  if (precision == Precision::int8) {
    std::vector<int8_t> row(n);
    for (size_t begin = 0; begin < x.size(); begin += n) {
      const double scale = to_int8(&x[begin], n, row.data());
      for (int64_t i = 0; i < n; ++i) result[begin + i] = scale * row[i];
    }
  }
  return result;
}

// As above, for the rows that are multiplied by them.
std::vector<double> stored_rows(Precision precision, std::span<const float> x, int64_t n) {
  if (precision != Precision::int8) return stored(precision, x, n);
  std::vector<double> result(x.size());
  std::vector<uint8_t> row(n);
  for (size_t begin = 0; begin < x.size(); begin += n) {
    const auto [scale, zero] = to_uint8(&x[begin], n, row.data());
    for (int64_t i = 0; i < n; ++i) result[begin + i] = double{scale} * (row[i] - zero);
  }
  return result;
}

double activated(Activation kind, double x) {
  switch (kind) {
    case Activation::none:
      return x;
    case Activation::gelu_erf:
      return reference::gelu_erf(x);
    case Activation::gelu_tanh:
      return reference::gelu_tanh(x);
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::tanh:
      return std::tanh(x);
    case Activation::silu:
      return reference::silu(x);
  }
  return 0;
}

void expect_linear(Precision precision, const LinearNumbers& numbers, std::span<const float> x,
                   std::span<const float> residual, const How& how) {
  const std::vector<float> y = Packed(precision, numbers.weights()).run(x, residual, how);
  const int64_t in = numbers.in, out = numbers.out;
  const std::vector<double> wide_x = stored_rows(precision, x, in);
  const std::vector<double> weight = stored(precision, numbers.weight, in);
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t row = i / out, output = i % out;
    double sum = numbers.bias.empty() ? 0 : numbers.bias[output], magnitude = std::abs(sum);
    for (int64_t j = 0; j < in; ++j) {
      const double product = wide_x[row * in + j] * weight[output * in + j];
      sum += product;
      magnitude += std::abs(product);
    }
    const double added = how.residual == Residual::none ? 0 : double{residual[i]};
    const double exact = activated(how.activation, sum);
    // in products and sums, two scales and a bias, each rounded; no activation is steeper than
    // 1.13, and each is good to a few units in the last place itself.
    const double tolerance = 1.13 * static_cast<double>(in + 4) * kUnit * magnitude +
                             8 * kUnit * (std::abs(exact) + std::abs(added));
    ASSERT_NEAR(y[i], exact + added, tolerance) << "row " << row << ", output " << output;
  }
}

class PackedLinearTest : public testing::Test {
 protected:
  void SetUp() override { hold_instruction_set(); }
  Random random_{5};
};

TEST_F(PackedLinearTest, is_the_product_for_every_shape) {
  for (const Precision precision : product_precisions()) {
    for (const int64_t in : {1, 3, 64, 100, 192, 193, 384}) {
      for (const int64_t out : {1, 3, 64, 100, 192, 193, 384}) {
        for (const int64_t rows : {1, 17}) {
          SCOPED_TRACE(testing::Message()
                       << to_string(precision) << ' ' << in << " to " << out << ", rows " << rows);
          const LinearNumbers numbers(random_, in, out, (in + out) % 2 == 0);
          expect_linear(precision, numbers, random_.normals(rows * in), {}, {});
        }
      }
    }
  }
}

TEST_F(PackedLinearTest, follows_with_activation_and_residual_at_any_number_of_rows) {
  constexpr int64_t kIn = 100, kOut = 193;
  for (const Precision precision : product_precisions()) {
    for (const bool bias : {false, true}) {
      const LinearNumbers numbers(random_, kIn, kOut, bias);
      for (const int64_t rows : {0, 1, 15, 16, 17, 63, 64, 65, 200}) {
        const std::vector<float> x = random_.normals(rows * kIn);
        const std::vector<float> residual = random_.normals(rows * kOut);
        for (const Activation activation :
             {Activation::none, Activation::gelu_erf, Activation::gelu_tanh, Activation::relu,
              Activation::tanh, Activation::silu}) {
          for (const Residual kind : {Residual::none, Residual::other, Residual::in_place}) {
            SCOPED_TRACE(testing::Message()
                         << to_string(precision) << (bias ? ", bias, " : ", ") << rows << " rows, "
                         << to_string(activation) << ", residual " << static_cast<int>(kind));
            expect_linear(precision, numbers, x, residual, {activation, kind});
          }
        }
      }
    }
  }
}

// Whether one thread normalizes tiles or a team does afterwards, in one panel and in several.
TEST_F(PackedLinearTest, normalizes_with_the_bits_of_the_kernel) {
  constexpr int64_t kIn = 70;
  for (const Precision precision : product_precisions()) {
    for (const int64_t out : {1, 64, 193, 430}) {
      const LinearNumbers numbers(random_, kIn, out);
      const Packed packed(precision, numbers.weights());
      const std::vector<float> gamma = random_.normals(out), beta = random_.normals(out);
      for (const float* shift : {static_cast<const float*>(nullptr), beta.data()}) {
        const LayerNorm norm{gamma.data(), shift, 1e-5f};
        for (const int64_t rows : {0, 1, 15, 16, 17, 63, 64, 65, 200}) {
          const std::vector<float> x = random_.normals(rows * kIn);
          const std::vector<float> residual = random_.normals(rows * out);
          std::vector<float> expected = packed.run(x, residual, {.residual = Residual::other});
          layer_norm(expected.data(), rows, out, norm, expected.data());
          for (const Residual kind : {Residual::other, Residual::in_place}) {
            for (const int threads : {1, 2, 5}) {
              const How how{.residual = kind, .threads = threads, .norm = &norm};
              EXPECT_TRUE(same_bits(packed.run(x, residual, how), expected))
                  << to_string(precision) << ", " << out << " outputs, " << rows << " rows, "
                  << threads << " threads, residual " << static_cast<int>(kind);
            }
          }
        }
      }
    }
  }
}

// A row's bits: whatever rows are beside it, however many threads share them, and whether the last
// tile is read beyond the last row.
TEST_F(PackedLinearTest, gives_a_row_the_same_bits_in_any_call) {
  constexpr int64_t kRows = 200;
  for (const Precision precision : product_precisions()) {
    for (const auto& [in, out] : {std::pair{64, 64}, {100, 193}, {384, 384}}) {
      const LinearNumbers numbers(random_, in, out);
      const Packed packed(precision, numbers.weights());
      const std::vector<float> x = random_.normals(kRows * in);
      const std::vector<float> residual = random_.normals(kRows * out);
      const auto at = [&, in = in, out = out](int64_t first, int64_t rows, How how) {
        how.activation = Activation::gelu_erf;
        how.residual = Residual::in_place;
        return packed.run(std::span(x).subspan(first * in, rows * in),
                          std::span(residual).subspan(first * out, rows * out), how);
      };
      const std::vector<float> expected = at(0, kRows, {});
      for (const int threads : {1, 2, 5}) {
        for (const bool padded : {false, true}) {
          for (const int64_t first : {0, 5, 100}) {
            for (const int64_t rows : {1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 100}) {
              EXPECT_TRUE(same_bits(at(first, rows, {.padded = padded, .threads = threads}),
                                    std::span(expected).subspan(first * out, rows * out)))
                  << to_string(precision) << ' ' << in << " to " << out << ", rows " << first
                  << " to " << first + rows << ", " << threads << " threads"
                  << (padded ? ", padded" : "");
            }
          }
        }
      }
    }
  }
}

// A few rows take another way than many where many go through oneDNN: where its bits are known not
// to depend on their number, and are the same for every sum's length.
TEST_F(PackedLinearTest, gives_a_few_rows_the_bits_of_many) {
  constexpr int64_t kRows = 150;
  for (const int64_t in : {1, 64, 384, 512, 513, 768, 1024, 1025, 1536, 3072}) {
    for (const int64_t out : {1, 100, 300}) {
      SCOPED_TRACE(testing::Message() << in << " to " << out);
      const LinearNumbers numbers(random_, in, out);
      const Packed packed(Precision::f32, numbers.weights());
      EXPECT_TRUE(packed.thin());
      const std::vector<float> x = random_.normals(kRows * in);
      const std::vector<float> expected = packed.run(x, {});
      for (const int64_t rows : {1, 7, 8, 9, 60, 128}) {
        const int64_t first = kRows - rows;
        EXPECT_TRUE(same_bits(packed.run(std::span(x).last(rows * in), {}),
                              std::span(expected).subspan(first * out)))
            << rows << " rows";
      }
    }
  }
}

TEST_F(PackedLinearTest, takes_parts_side_by_side_as_one) {
  constexpr int64_t kIn = 65, kOut = 430;
  const std::vector<float> x = random_.normals(70 * kIn);
  for (const Precision precision : product_precisions()) {
    for (const bool bias : {false, true}) {
      const LinearNumbers numbers(random_, kIn, kOut, bias);
      // Parts that end within a panel, span several, and are one output.
      std::vector<LinearWeights> parts;
      const int64_t ends[] = {0, 100, 101, 400, 430};
      for (size_t i = 1; i < std::size(ends); ++i)
        parts.push_back(numbers.rows(ends[i - 1], ends[i]));
      EXPECT_TRUE(same_bits(Packed(precision, parts).run(x, {}),
                            Packed(precision, numbers.weights()).run(x, {})))
          << to_string(precision);
    }
  }
}

TEST_F(PackedLinearTest, takes_weights_as_they_are_stored) {
  constexpr int64_t kIn = 70, kOut = 200;
  const std::vector<float> x = random_.normals(33 * kIn);
  for (const Precision precision : product_precisions()) {
    for (const Storage& storage : storages()) {
      const StoredWeight weight(random_, storage.dtype, {kOut, kIn}, 0.25f, storage.odd);
      const StoredWeight bias(random_, storage.dtype, {kOut}, 0.25f, storage.odd);
      const LinearWeights plain{TensorView(weight.values().data(), {kOut, kIn}),
                                TensorView(bias.values().data(), {kOut})};
      EXPECT_TRUE(
          same_bits(Packed(precision, LinearWeights{weight.weight(), bias.weight()}).run(x, {}),
                    Packed(precision, plain).run(x, {})))
          << to_string(precision) << ' ' << storage.name();
    }
  }
}

}  // namespace
}  // namespace headway
