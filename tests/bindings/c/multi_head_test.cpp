// The layer through the C interface gives what C++ gives.
#include <gtest/gtest.h>

#include "headway/engine.hpp"
#include "headway/layers.hpp"
#include "tests/bindings/c/handles.hpp"

namespace headway::c {
namespace {

TEST(CMultiHead, ResultsAreThoseOfCpp) {
  const SmallLayer layer;
  SmallRun run;
  const headway_multi_head_request request = run.request();
  auto error = sized<headway_error>();
  ASSERT_EQ(headway_multi_head_run(layer.handle.get(), &request, &error), HEADWAY_OK)
      << error.message;

  Graph graph;
  const Value x = graph.input("x", DType::f32, 8);
  const auto values =
      multi_head(graph, x, {{layer.qkv.weights()}, layer.out.weights()}, {.heads = 2});
  graph.output("y", values.output);
  graph.output("weights", values.weights);
  const Batch batch = Batch::ragged(run.lengths);
  std::vector<float> y(64), attention(2 * (9 + 25));
  compile(graph).run({{"x", batch, TensorView(run.x.data(), {8, 8})}},
                     {{"y", MutableTensorView(y.data(), {8, 8})},
                      {"weights", MutableTensorView(attention.data(), {2 * (9 + 25)})}});
  EXPECT_EQ(run.y, y);
  EXPECT_EQ(run.attention, attention);
}

TEST(CMultiHead, WorksWithoutWeightsAndWithoutSequences) {
  const SmallLayer layer;
  SmallRun all, no_attention;
  auto request = all.request();
  ASSERT_EQ(headway_multi_head_run(layer.handle.get(), &request, nullptr), HEADWAY_OK);
  request = no_attention.request();
  request.weights = nullptr;
  request.weights_capacity = 0;
  ASSERT_EQ(headway_multi_head_run(layer.handle.get(), &request, nullptr), HEADWAY_OK);
  EXPECT_EQ(no_attention.y, all.y);

  request = sized<headway_multi_head_request>();
  EXPECT_EQ(headway_multi_head_run(layer.handle.get(), &request, nullptr), HEADWAY_OK);
}

// The scale is the caller's: at (nearly) 0 every token is seen alike.
TEST(CMultiHead, ReadsItsScale) {
  const SmallLayer layer;
  auto weights = layer.weights();
  weights.scale = 1e-30f;
  headway_multi_head* handle = nullptr;
  ASSERT_EQ(headway_multi_head_create(&weights, nullptr, &handle, nullptr), HEADWAY_OK);
  const LayerHandle even(handle, headway_multi_head_close);
  SmallRun run;
  const auto request = run.request();
  ASSERT_EQ(headway_multi_head_run(handle, &request, nullptr), HEADWAY_OK);
  for (size_t i = 0; i < run.attention.size(); ++i)
    EXPECT_NEAR(run.attention[i], i < 2 * 9 ? 1 / 3. : 1 / 5., 1e-6);
}

TEST(CMultiHead, RefusesSequencesBeyondItsLimit) {
  const SmallLayer layer;
  const auto weights = layer.weights();
  auto options = sized<headway_options>();
  options.max_length = 4;
  headway_multi_head* handle = nullptr;
  ASSERT_EQ(headway_multi_head_create(&weights, &options, &handle, nullptr), HEADWAY_OK);
  const LayerHandle limited(handle, headway_multi_head_close);
  SmallRun run;
  const auto request = run.request();
  EXPECT_EQ(headway_multi_head_run(handle, &request, nullptr), HEADWAY_LIMIT);
}

}  // namespace
}  // namespace headway::c
