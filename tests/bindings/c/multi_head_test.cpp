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
  const auto weights = layer.weights();
  auto attention = layer.attention();
  attention.scale = 1e-30f;
  headway_multi_head* handle = nullptr;
  ASSERT_EQ(headway_multi_head_create(&weights, &attention, nullptr, &handle, nullptr), HEADWAY_OK);
  const LayerHandle even(handle, headway_multi_head_close);
  SmallRun run;
  const auto request = run.request();
  ASSERT_EQ(headway_multi_head_run(handle, &request, nullptr), HEADWAY_OK);
  for (size_t i = 0; i < run.attention.size(); ++i)
    EXPECT_NEAR(run.attention[i], i < 2 * 9 ? 1 / 3. : 1 / 5., 1e-6);
}

// Every option, against the same layer in C++. Each changes the result.
TEST(CMultiHead, ReadsItsOptions) {
  const SmallLayer layer;
  const std::vector<float> slopes = {0.5f, 0.25f};
  const std::vector<float> relative = {0.1f, -0.2f, 0.3f, 0.4f, -0.5f, 0.6f};
  auto weights = layer.weights();
  auto attention = layer.attention();
  const auto run = [&] {
    headway_multi_head* handle = nullptr;
    auto error = sized<headway_error>();
    EXPECT_EQ(headway_multi_head_create(&weights, &attention, nullptr, &handle, &error), HEADWAY_OK)
        << error.message;
    const LayerHandle owned(handle, headway_multi_head_close);
    SmallRun room;
    const auto request = room.request();
    EXPECT_EQ(headway_multi_head_run(handle, &request, &error), HEADWAY_OK) << error.message;
    return room.y;
  };
  MultiHeadOptions same{.heads = 2};
  int64_t qkv_rows = 24;
  const auto expected = [&] {
    Graph graph;
    const Value x = graph.input("x", DType::f32, 8);
    const LinearWeights qkv{TensorView(layer.qkv.weight.data(), {qkv_rows, 8}),
                            TensorView(layer.qkv.bias.data(), {qkv_rows})};
    graph.output("y", multi_head(graph, x, {{qkv}, layer.out.weights()}, same).output);
    const SmallRun room;
    const Batch batch = Batch::ragged(room.lengths);
    std::vector<float> y(64);
    compile(graph).run({{"x", batch, TensorView(room.x.data(), {8, 8})}},
                       {{"y", MutableTensorView(y.data(), {8, 8})}});
    return y;
  };
  std::vector<std::vector<float>> results{run()};
  const auto expect_read = [&] {
    results.push_back(run());
    EXPECT_EQ(results.back(), expected());
    EXPECT_NE(results.back(), results[results.size() - 2]);
  };
  attention.causal = 1, same.causal = true;
  expect_read();
  attention.has_left_window = 1, same.left_window = 0;
  expect_read();
  attention.has_left_window = 0, same.left_window.reset();
  attention.softcap = same.softcap = 0.2f;
  expect_read();
  attention.alibi_slopes = slopes.data(), attention.alibi_slope_count = 2;
  same.alibi_slopes = slopes;
  expect_read();
  attention.alibi_slope_count = 0, same.alibi_slopes.clear();
  attention.relative_bias = relative.data();
  attention.relative_bias_heads = 2, attention.relative_bias_distances = 3;
  same.relative_bias = TensorView(relative.data(), {2, 3});
  expect_read();
  attention.causal = 0, same.causal = false;
  attention.has_right_window = 1, attention.right_window = 1, same.right_window = 1;
  expect_read();
  attention.kv_heads = 1, same.kv_heads = 1, qkv_rows = 16;
  expect_read();
}

TEST(CMultiHead, RefusesSequencesBeyondItsLimit) {
  const SmallLayer layer;
  const auto weights = layer.weights();
  const auto attention = layer.attention();
  auto options = sized<headway_options>();
  options.max_length = 4;
  headway_multi_head* handle = nullptr;
  ASSERT_EQ(headway_multi_head_create(&weights, &attention, &options, &handle, nullptr),
            HEADWAY_OK);
  const LayerHandle limited(handle, headway_multi_head_close);
  SmallRun run;
  const auto request = run.request();
  EXPECT_EQ(headway_multi_head_run(handle, &request, nullptr), HEADWAY_LIMIT);
}

}  // namespace
}  // namespace headway::c
