// The product of a few rows against a double-precision oracle.
#include "engine/kernels/thin_product.hpp"

#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

// Weights [width, in] as the kernel takes them, at a 64-byte boundary.
class Packed {
 public:
  Packed(std::span<const float> weights, size_t in, size_t width)
      : room_((width + 63) / 64 * 64 * ((in + 15) / 16 * 16) + 16) {
    while (reinterpret_cast<uintptr_t>(room_.data() + begin_) % 64 != 0) ++begin_;
    for (size_t output = 0; output < width; ++output) {
      for (size_t i = 0; i < in; ++i)
        room_[begin_ + (output / 64 * ((in + 15) / 16 * 16) + i) * 64 + output % 64] =
            weights[output * in + i];
    }
  }
  const float* data() const { return room_.data() + begin_; }

 private:
  std::vector<float> room_;
  size_t begin_ = 0;
};

struct Case {
  size_t rows, in, width, chunk;
};

constexpr size_t kWidths[] = {1, 3, 8, 16, 17, 33, 63, 64, 65, 100, 192};

template <typename Check>
void for_each_case(const Check& check) {
  for (size_t rows = 1; rows <= 17; ++rows) {
    for (const size_t width : kWidths) {
      for (const auto& [in, chunk] :
           std::initializer_list<std::pair<size_t, size_t>>{{1, 1}, {7, 7}, {70, 32}, {70, 96}}) {
        SCOPED_TRACE(testing::Message() << rows << " rows, " << in << " to " << width);
        check(Case{rows, in, width, chunk});
      }
    }
  }
}

TEST(ThinProduct, is_the_product) {
  on_each_target([] {
    for_each_case([](const Case& c) {
      const std::vector<float> x = normal_values(c.rows * c.in, 0, 1, 5);
      const std::vector<float> weights = normal_values(c.width * c.in, 0, 1, 9);
      const Packed packed(weights, c.in, c.width);
      std::vector<float> y(c.rows * c.width, kNaN);
      thin_product({x.data(), packed.data(), y.data(), c.rows, c.in, c.width, c.chunk});
      for (size_t i = 0; i < y.size(); ++i) {
        double sum = 0, magnitude = 0;
        for (size_t j = 0; j < c.in; ++j) {
          const double product =
              double{x[i / c.width * c.in + j]} * weights[i % c.width * c.in + j];
          sum += product;
          magnitude += std::abs(product);
        }
        ASSERT_NEAR(y[i], sum, static_cast<double>(c.in + 1) * kUnit * magnitude) << i;
      }
    });
  });
}

TEST(ThinProduct, gives_a_row_the_same_bits_alone) {
  on_each_target([] {
    for_each_case([](const Case& c) {
      const std::vector<float> x = normal_values(c.rows * c.in);
      const Packed packed(normal_values(c.width * c.in), c.in, c.width);
      std::vector<float> y(c.rows * c.width), alone(c.width);
      thin_product({x.data(), packed.data(), y.data(), c.rows, c.in, c.width, c.chunk});
      for (size_t row = 0; row < c.rows; ++row) {
        thin_product({&x[row * c.in], packed.data(), alone.data(), 1, c.in, c.width, c.chunk});
        ASSERT_TRUE(same_bits(alone, std::span(y).subspan(row * c.width, c.width))) << row;
      }
    });
  });
}

TEST(ThinProduct, stays_within_its_arrays) {
  on_each_target([] {
    for_each_case([](const Case& c) {
      const Packed packed(normal_values(c.width * c.in), c.in, c.width);
      for (const Guard guard : kGuards) {
        Guarded x(normal_values(c.rows * c.in), guard), y(normal_values(c.rows * c.width), guard);
        thin_product({x.data(), packed.data(), y.data(), c.rows, c.in, c.width, c.chunk});
      }
    });
  });
}

}  // namespace
}  // namespace headway::test
