// Activations by name: each reaches its own kernel.
#include "engine/ops/activation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "engine/ops/instruction_set.hpp"
#include "tests/reference/functions.hpp"
#include "tests/support/random.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

struct Case {
  Activation kind;
  const char* name;
  std::function<double(double)> exact;
};

const Case kCases[] = {
    {Activation::none, "none", [](double x) { return x; }},
    {Activation::gelu_erf, "gelu_erf", reference::gelu_erf},
    {Activation::gelu_tanh, "gelu_tanh", reference::gelu_tanh},
    {Activation::relu, "relu", [](double x) { return std::max(x, 0.0); }},
    {Activation::tanh, "tanh", [](double x) { return std::tanh(x); }},
};

TEST(Activate, is_the_function_of_its_name) {
  hold_instruction_set();
  // Wide enough for the two kinds of GELU to differ (by 5e-4 at 2.3).
  const std::vector<float> x = Random(21).uniforms(333, -4, 4);
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_STREQ(to_string(c.kind), c.name);
    std::vector<float> y(x.size() + 1, 7.0f);
    activate(c.kind, x.data(), x.size(), y.data());
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], c.exact(x[i]), 1e-6) << x[i];
    EXPECT_EQ(y.back(), 7.0f) << "written beyond the end";

    std::vector<float> in_place = x;
    activate(c.kind, in_place.data(), in_place.size(), in_place.data());
    EXPECT_TRUE(same_bits(in_place, std::span(y).first(x.size())));
  }
}

}  // namespace
}  // namespace headway
