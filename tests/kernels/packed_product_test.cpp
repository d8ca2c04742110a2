// The product of a few rows against a double-precision oracle.
#include "engine/kernels/packed_product.hpp"

#include "tests/kernels/kernel_test.hpp"

namespace headway::test {
namespace {

// Weights [width, in] as the kernel takes them, at a 64-byte boundary.
class Packed {
 public:
  Packed(std::span<const float> weights, const PackedBlocks& blocks)
      : room_(blocks.elements() + 16) {
    while (reinterpret_cast<uintptr_t>(room_.data() + begin_) % 64 != 0) ++begin_;
    for (size_t output = 0; output < blocks.width; ++output) {
      const size_t first = output / blocks.block * blocks.depth();
      for (size_t i = 0; i < blocks.in; ++i)
        room_[begin_ + (first + i) * blocks.block + output % blocks.block] =
            weights[output * blocks.in + i];
    }
  }
  const float* data() const { return room_.data() + begin_; }

 private:
  std::vector<float> room_;
  size_t begin_ = 0;
};

struct Case {
  size_t rows, in, width, chunk, block;

  PackedBlocks blocks() const { return {in, width, block}; }
};

void run(const Case& c, const float* x, const Packed& packed, float* y) {
  packed_product({x, packed.data(), y, c.rows, c.in, c.width, c.chunk, c.block});
}

constexpr size_t kWidths[] = {1, 3, 8, 16, 17, 33, 63, 64, 65, 100, 192};

template <typename Check>
void for_each_case(const Check& check) {
  for (size_t rows = 1; rows <= 17; ++rows) {
    for (const size_t width : kWidths) {
      for (const auto& [in, chunk] :
           std::initializer_list<std::pair<size_t, size_t>>{{1, 1}, {7, 7}, {70, 32}, {70, 96}}) {
        for (const size_t block : {16, 64}) {
          SCOPED_TRACE(testing::Message()
                       << rows << " rows, " << in << " to " << width << " in blocks of " << block);
          check(Case{rows, in, width, chunk, block});
        }
      }
    }
  }
}

TEST(PackedProduct, is_the_product) {
  on_each_target([] {
    for_each_case([](const Case& c) {
      const std::vector<float> x = normal_values(c.rows * c.in, 0, 1, 5);
      const std::vector<float> weights = normal_values(c.width * c.in, 0, 1, 9);
      const Packed packed(weights, c.blocks());
      std::vector<float> y(c.rows * c.width, kNaN);
      run(c, x.data(), packed, y.data());
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

TEST(PackedProduct, gives_a_row_the_same_bits_alone) {
  on_each_target([] {
    for_each_case([](const Case& c) {
      const std::vector<float> x = normal_values(c.rows * c.in);
      const Packed packed(normal_values(c.width * c.in), c.blocks());
      std::vector<float> y(c.rows * c.width), alone(c.width);
      run(c, x.data(), packed, y.data());
      for (size_t row = 0; row < c.rows; ++row) {
        Case one = c;
        one.rows = 1;
        run(one, &x[row * c.in], packed, alone.data());
        ASSERT_TRUE(same_bits(alone, std::span(y).subspan(row * c.width, c.width))) << row;
      }
    });
  });
}

TEST(PackedProduct, stays_within_its_arrays) {
  on_each_target([] {
    for_each_case([](const Case& c) {
      const Packed packed(normal_values(c.width * c.in), c.blocks());
      for (const Guard guard : kGuards) {
        Guarded x(normal_values(c.rows * c.in), guard), y(normal_values(c.rows * c.width), guard);
        run(c, x.data(), packed, y.data());
      }
    });
  });
}

TEST(PackedProduct, packs_blocks_of_16) {
  on_each_target([] {
    for (const size_t in : {1, 7, 16, 70, 384}) {
      for (const size_t width : kWidths) {
        SCOPED_TRACE(testing::Message() << in << " to " << width);
        const PackedBlocks blocks{in, width, 16};
        const std::vector<float> weights = normal_values(width * in);
        Guarded from(weights, kGuards[0]);
        Guarded packed(std::vector<float>(blocks.elements(), kNaN), kGuards[0]);
        pack_blocks(from.data(), blocks, packed.data());
        const Packed expected(weights, blocks);
        EXPECT_TRUE(
            same_bits({packed.data(), blocks.elements()}, {expected.data(), blocks.elements()}));
      }
    }
  });
}

}  // namespace
}  // namespace headway::test
