// The activations of the epilogue against the oracles.
#include "engine/kernels/epilogue.hpp"
#include "tests/kernels/kernel_test.hpp"
#include "tests/kernels/sweep.hpp"

namespace headway::test {
namespace {

struct Case {
  const char* name;
  Activation kind;
  double (*oracle)(double);
};

double exact_relu(double x) {
  return x < 0 ? 0 : x;
}
double exact_tanh(double x) {
  return std::tanh(x);
}

const Case kCases[] = {{"gelu_erf", Activation::gelu_erf, reference::gelu_erf},
                       {"gelu_tanh", Activation::gelu_tanh, reference::gelu_tanh},
                       {"relu", Activation::relu, exact_relu},
                       {"tanh", Activation::tanh, exact_tanh},
                       {"silu", Activation::silu, reference::silu}};

void activate(Activation kind, const float* x, size_t n, float* y) {
  epilogue({.product = x, .y = y, .rows = 1, .width = n, .activation = kind});
}

std::vector<float> run(Activation kind, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  activate(kind, x.data(), x.size(), y.data());
  return y;
}

// The largest of |actual - exact| / max(1, |x|) over the floats up to `highest`, both signs.
double worst_error(const Case& c, float highest) {
  double worst = 0;
  for (const float sign : {1.0f, -1.0f}) {
    const std::vector<float> x = sweep(highest, sign);
    const std::vector<float> y = run(c.kind, x);
    for (size_t i = 0; i < x.size(); ++i) {
      const double error = std::abs(y[i] - c.oracle(x[i])) / std::max(1.0f, std::abs(x[i]));
      if (!(error <= worst)) worst = error;
    }
  }
  return worst;
}

TEST(Gelu, is_as_exact_as_f32) {
  on_each_target([] {
    EXPECT_LE(worst_error(kCases[0], 100), 1e-7);
    EXPECT_LE(worst_error(kCases[1], 100), 1e-7);
  });
}

TEST(Gelu, keeps_the_digits_of_the_negative_tail) {
  on_each_target([] {
    for (const Case& c : {kCases[0], kCases[1]}) {
      const std::vector<float> x = {-1e-30f, -1e-3f, -0.5f, -1, -2, -3, -4, -5, -6, -8};
      const std::vector<float> y = run(c.kind, x);
      for (size_t i = 0; i < x.size(); ++i) {
        // The rounded exponent costs digits in proportion to its size, 18 at x = -6 (erf form).
        const double tolerance = (6 + x[i] * x[i] * 2) * kUnit;
        EXPECT_NEAR(y[i] / c.oracle(x[i]), 1, tolerance) << c.name << " at " << x[i];
      }
    }
  });
}

TEST(Gelu, has_its_limits) {
  on_each_target([] {
    for (const Case& c : {kCases[0], kCases[1]}) {
      const float huge = std::numeric_limits<float>::max();
      const std::vector<float> x = {kInfinity, 1e30f, huge, 20, -20, -1e30f, -huge, -kInfinity};
      EXPECT_EQ(run(c.kind, x), (std::vector<float>{kInfinity, 1e30f, huge, 20, 0, 0, 0, 0}))
          << c.name;
    }
  });
}

TEST(Silu, is_as_exact_as_f32_and_has_its_limits) {
  on_each_target([] {
    EXPECT_LE(worst_error(kCases[4], 100), 1e-7);
    for (const float x : {-1e-30f, -1e-3f, -1.0f, -8.0f, -30.0f, -69.0f})
      EXPECT_NEAR(run(Activation::silu, {x})[0] / reference::silu(x), 1, 3e-7) << x;
    EXPECT_EQ(run(Activation::silu, {kInfinity, 1e30f, 20, -71, -1e30f, -kInfinity}),
              (std::vector<float>{kInfinity, 1e30f, 20, 0, 0, 0}));
  });
}

TEST(Relu, is_exact) {
  on_each_target([] {
    const std::vector<float> x = {kInfinity, 1e30f, 1e-45f, 0, -1e-45f, -1, -1e30f, -kInfinity};
    EXPECT_EQ(run(Activation::relu, x),
              (std::vector<float>{kInfinity, 1e30f, 1e-45f, 0, 0, 0, 0, 0}));
  });
}

TEST(Tanh, is_within_3_ulp) {
  on_each_target([] {
    for (const float sign : {1.0f, -1.0f}) {
      const std::vector<float> x = sweep(30, sign);
      const std::vector<float> y = run(Activation::tanh, x);
      double worst = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const double error = ulp_error(y[i], std::tanh(double{x[i]}));
        if (!(error <= worst)) worst = error;
      }
      EXPECT_LE(worst, 3.0);
    }
    EXPECT_EQ(run(Activation::tanh, {kInfinity, 1e30f, -1e30f, -kInfinity}),
              (std::vector<float>{1, 1, -1, -1}));
  });
}

TEST(Activation, keeps_nan_and_only_there) {
  on_each_target([] {
    for (const Case& c : kCases) {
      std::vector<float> x(37, 1.5f);
      x[3] = x[36] = kNaN;
      x[20] = -kNaN;
      const std::vector<float> y = run(c.kind, x);
      for (size_t i = 0; i < x.size(); ++i)
        EXPECT_EQ(std::isnan(y[i]), std::isnan(x[i])) << c.name << " at " << i;
    }
  });
}

TEST(Activation, keeps_to_its_arrays) {
  on_each_target([] {
    for (const Case& c : kCases) {
      for (const size_t n : sizes()) {
        const std::vector<float> x = normal_values(n, 0, 2);
        // One value at a time: the result must not depend on its place in the array.
        std::vector<float> expected(n);
        for (size_t i = 0; i < n; ++i) activate(c.kind, &x[i], 1, &expected[i]);
        for (const Guard guard : kGuards) {
          Guarded in(x, guard), out(std::vector<float>(n, -1), guard);
          activate(c.kind, in.data(), n, out.data());
          ASSERT_TRUE(same_bits(in.values(), x)) << c.name << ' ' << n;
          ASSERT_TRUE(same_bits(out.values(), expected)) << c.name << ' ' << n;
        }
      }
    }
  });
}

}  // namespace
}  // namespace headway::test
