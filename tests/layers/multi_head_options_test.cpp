// MultiHead with its options: Linear, attention() with the same options for each sequence, Linear.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "headway/attention.hpp"
#include "tests/layers/multi_head_numbers.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/run_graph.hpp"

namespace headway {
namespace {

using reference::widen;

constexpr int64_t kIn = 24, kOut = 30;

struct Sizes {
  int64_t heads = 4, kv_heads = 4, size = 6, value_size = 6;

  int64_t q_width() const { return heads * size; }
  int64_t k_width() const { return kv_heads * size; }
  int64_t v_width() const { return kv_heads * value_size; }
  int64_t row() const { return q_width() + k_width() + v_width(); }
};

struct Numbers {
  Numbers(Random& random, const Sizes& s)
      : s(s), qkv(random, kIn, s.row()), out(random, s.heads * s.value_size, kOut) {}

  MultiHeadWeights fused() const { return {{qkv.weights()}, out.weights()}; }
  MultiHeadWeights in_three() const {
    const int64_t q = s.q_width(), k = q + s.k_width();
    return {{qkv.rows(0, q), qkv.rows(q, k), qkv.rows(k, s.row())}, out.weights()};
  }

  // Rows q | k | v of x.
  std::vector<float> rows(const std::vector<float>& x) const {
    const auto rows =
        reference::linear(widen(x), x.size() / kIn, widen(qkv.weight), widen(qkv.bias));
    return {rows.begin(), rows.end()};
  }
  std::vector<double> project(const std::vector<float>& mixed) const {
    return reference::linear(widen(mixed), mixed.size() / static_cast<size_t>(out.in),
                             widen(out.weight), widen(out.bias));
  }

  Sizes s;
  LinearNumbers qkv, out;
};

// attention() over the rows of each sequence; `options(i)` are those of sequence i.
template <typename Options>
std::vector<float> mix(const Sizes& s, const Batch& batch, const std::vector<float>& rows,
                       const Options& options) {
  std::vector<float> mixed(static_cast<size_t>(batch.rows() * s.heads * s.value_size));
  for (int64_t i = 0; i < batch.sequences(); ++i) {
    const int64_t tokens = batch.length(i), first = batch.offsets()[i];
    const float* q = rows.data() + first * s.row();
    const auto view = [&](const float* data, int64_t heads, int64_t size) {
      return StridedView::rows(data, 1, tokens, heads, size, s.row());
    };
    const int64_t width = s.heads * s.value_size;
    attention(view(q, s.heads, s.size), view(q + s.q_width(), s.kv_heads, s.size),
              view(q + s.q_width() + s.k_width(), s.kv_heads, s.value_size),
              MutableStridedView::rows(mixed.data() + first * width, 1, tokens, s.heads,
                                       s.value_size, width),
              options(i));
  }
  return mixed;
}

const Batch& batch() {
  static const Batch batch = Batch::ragged(std::vector<int64_t>{5, 0, 33, 1, 70});
  return batch;
}

// The layer with `options` against attention() with same(i) for sequence i, in each strategy and
// form of weights.
template <typename Same>
void expect_same(const Sizes& s, const Batch& batch, const MultiHeadOptions& options,
                 const Same& same) {
  Random random(1);
  const Numbers numbers(random, s);
  const std::vector<float> x = random.normals(batch.rows() * kIn);
  const std::vector<double> expected = numbers.project(mix(s, batch, numbers.rows(x), same));
  with_each_strategy([&](AttentionStrategy strategy) {
    for (const bool fused : {true, false}) {
      const auto y = run_layer(batch, x, kIn, [&](Graph& graph, Value value) {
        MultiHeadOptions with = options;
        with.heads = s.heads;
        with.kv_heads = s.kv_heads;
        with.strategy = strategy;
        return multi_head(graph, value, fused ? numbers.fused() : numbers.in_three(), with).output;
      });
      ASSERT_EQ(y.size(), expected.size());
      for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-5) << i;
    }
  });
}

void expect_same(const Sizes& s, const MultiHeadOptions& options, const AttentionOptions& same) {
  expect_same(s, batch(), options, [&](int64_t) { return same; });
}

TEST(MultiHeadOptions, SharesKeysAmongHeadsAndTakesValuesOfAnotherSize) {
  expect_same({.kv_heads = 2}, {}, {});
  expect_same({.kv_heads = 1, .value_size = 9}, {}, {});
  expect_same({.size = 10, .value_size = 3}, {}, {});
}

TEST(MultiHeadOptions, ScalesAndCaps) {
  expect_same({}, {.scale = -0.7f}, {.scale = -0.7f});
  expect_same({}, {.softcap = 0.5f}, {.softcap = 0.5f});
}

TEST(MultiHeadOptions, HidesKeysByPosition) {
  expect_same({}, {.causal = true}, {.causal = true});
  expect_same({.kv_heads = 2}, {.causal = true, .left_window = 4},
              {.causal = true, .left_window = 4});
  expect_same({}, {.left_window = 2, .right_window = 9}, {.left_window = 2, .right_window = 9});
}

// Whose queries are computed all the same, those beyond the key length too.
TEST(MultiHeadOptions, HidesKeysBeyondAKeyLength) {
  const std::vector<int64_t> lengths = {5, 0, 33, 1, 70}, key_lengths = {3, 0, 33, 0, 64};
  const Batch hidden = Batch::ragged(lengths, key_lengths);
  std::vector<std::vector<uint8_t>> masks;
  for (size_t i = 0; i < lengths.size(); ++i) {
    masks.emplace_back(static_cast<size_t>(lengths[i]), uint8_t{0});
    std::fill_n(masks[i].begin(), key_lengths[i], uint8_t{1});
  }
  const auto check = [&](const MultiHeadOptions& options, const AttentionOptions& same) {
    expect_same({.kv_heads = 2}, hidden, options, [&](int64_t i) {
      AttentionOptions masked = same;
      const auto& mask = masks[static_cast<size_t>(i)];
      if (!mask.empty())
        masked.mask = StridedView::dense(mask.data(), {1, 1, 1, lengths[static_cast<size_t>(i)]},
                                         DType::boolean);
      return masked;
    });
  };
  check({}, {});
  check({.left_window = 2, .right_window = 1}, {.left_window = 2, .right_window = 1});
  const std::vector<float> slopes = {0.5f, 0.25f, -0.1f, 0};
  check({.alibi_slopes = slopes}, {.alibi_slopes = slopes});
  const TensorView distances(slopes.data(), {1, 3});
  check({.relative_bias = distances}, {.relative_bias = distances});
}

TEST(MultiHeadOptions, HiddenKeysHaveNoWeight) {
  Random random(7);
  const Sizes s;
  const Numbers numbers(random, s);
  const Batch hidden = Batch::ragged(std::vector<int64_t>{20, 3}, std::vector<int64_t>{17, 0});
  const auto weights =
      run_layer(hidden, random.normals(hidden.rows() * kIn), kIn, [&](Graph& graph, Value value) {
        return multi_head(graph, value, numbers.fused(), {.heads = s.heads}).weights;
      });
  const auto row = [&](int64_t first, int64_t keys) {
    return std::span(weights).subspan(static_cast<size_t>(first), static_cast<size_t>(keys));
  };
  for (int64_t i = 0; i < s.heads * 20; ++i) {
    const auto of_query = row(i * 20, 20);
    EXPECT_NEAR(std::accumulate(of_query.begin(), of_query.end(), 0.0), 1, 1e-5) << i;
    for (size_t key = 17; key < 20; ++key) EXPECT_EQ(of_query[key], 0) << i;
  }
  for (const float weight : row(s.heads * 400, s.heads * 9)) EXPECT_EQ(weight, 0);
}

TEST(MultiHeadOptions, AddsBiasesByDistance) {
  const std::vector<float> slopes = {0.5f, 0.25f, -0.1f, 0};
  expect_same({}, {.alibi_slopes = slopes}, {.alibi_slopes = slopes});
  Random random(2);
  for (const int64_t heads : {1, 4}) {
    const std::vector<float> bias = random.normals(heads * 9);
    const TensorView view(bias.data(), {heads, 9});
    expect_same({.kv_heads = 2}, {.relative_bias = view}, {.relative_bias = view});
  }
}

TEST(MultiHeadOptions, AddsABiasForEachPair) {
  Random random(3);
  const Sizes s;
  const Numbers numbers(random, s);
  const std::vector<float> x = random.normals(batch().rows() * kIn);
  std::vector<int64_t> begins = {0};
  for (int64_t i = 0; i < batch().sequences(); ++i)
    begins.push_back(begins.back() + batch().length(i) * batch().length(i));
  for (const int64_t width : {int64_t{1}, s.heads}) {
    std::vector<float> bias = random.normals(width * begins.back());
    for (float& b : bias)
      if (random.below(4) == 0) b = -INFINITY;
    const auto expected = numbers.project(mix(s, batch(), numbers.rows(x), [&](int64_t i) {
      const int64_t tokens = batch().length(i);
      return AttentionOptions{
          .bias = StridedView::dense(bias.data() + width * begins[i], {1, width, tokens, tokens})};
    }));
    with_each_strategy([&](AttentionStrategy strategy) {
      Graph graph;
      const Value in = graph.input("x", DType::f32, kIn);
      const Value added = graph.input_pairs("bias", width, in, in);
      graph.output("y", multi_head(graph, in, numbers.fused(),
                                   {.heads = s.heads, .bias = added, .strategy = strategy})
                            .output);
      const Engine engine = compile(graph, {.threads = 2});
      std::vector<float> y(expected.size());
      const Input inputs[] = {
          {"x", batch(), {x.data(), {batch().rows(), kIn}}},
          {"bias", batch(), {bias.data(), {static_cast<int64_t>(bias.size())}}}};
      engine.run(inputs, std::vector<Output>{{"y", {y.data(), {batch().rows(), kOut}}}});
      for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-5) << i;
      const Input too_small[] = {
          inputs[0], {"bias", batch(), {bias.data(), {static_cast<int64_t>(bias.size()) - 1}}}};
      expect_error(ErrorCode::invalid_argument, "input 'bias' has the shape", [&] {
        engine.run(too_small, std::vector<Output>{{"y", {y.data(), {batch().rows(), kOut}}}});
      });
    });
  }
}

TEST(MultiHeadOptions, TurnsQueriesAndKeys) {
  const Sizes s{.kv_heads = 2, .size = 10};
  Random random(4);
  const Numbers numbers(random, s);
  const std::vector<float> x = random.normals(batch().rows() * kIn);
  for (const bool interleaved : {false, true}) {
    const RotaryOptions options{.dims = 6, .base = 100, .scaling = 2};
    std::vector<float> rows = numbers.rows(x);
    for (int64_t i = 0; i < batch().sequences(); ++i) {
      for (int64_t position = 0; position < batch().length(i); ++position) {
        float* row = rows.data() + (batch().offsets()[i] + position) * s.row();
        for (int64_t head = 0; head < s.heads + s.kv_heads; ++head, row += s.size) {
          for (int64_t p = 0; p < 3; ++p) {
            const double angle =
                static_cast<double>(position) / 2 * std::pow(100, -static_cast<double>(p) / 3);
            float& a = row[interleaved ? 2 * p : p];
            float& b = row[interleaved ? 2 * p + 1 : 3 + p];
            const double a0 = a, b0 = b;
            a = static_cast<float>(a0 * std::cos(angle) - b0 * std::sin(angle));
            b = static_cast<float>(b0 * std::cos(angle) + a0 * std::sin(angle));
          }
        }
      }
    }
    const auto expected =
        numbers.project(mix(s, batch(), rows, [](int64_t) { return AttentionOptions{}; }));
    const auto y = run_layer(batch(), x, kIn, [&](Graph& graph, Value value) {
      const Rotary rotary{rotary_table(graph, value, options), interleaved};
      return multi_head(graph, value, numbers.fused(),
                        {.heads = s.heads, .kv_heads = s.kv_heads, .rotary = rotary})
          .output;
    });
    for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-5) << i;
  }
}

// A sequence in two runs, the first one's keys and values kept: the rows of one run over all of it.
TEST(MultiHeadOptions, GoesOnFromPastKeysAndValues) {
  const Sizes s{.kv_heads = 2};
  Random random(5);
  const Numbers numbers(random, s);
  const std::vector<int64_t> lengths = {7, 40, 1}, first_lengths = {3, 39, 0};
  std::vector<int64_t> second_lengths;
  for (size_t i = 0; i < lengths.size(); ++i)
    second_lengths.push_back(lengths[i] - first_lengths[i]);
  const Batch whole = Batch::ragged(lengths), first = Batch::ragged(first_lengths),
              second = Batch::ragged(second_lengths);
  const std::vector<float> x = random.normals(whole.rows() * kIn);
  std::vector<float> begin, end;
  for (int64_t i = 0; i < whole.sequences(); ++i) {
    const auto* rows = x.data() + whole.offsets()[i] * kIn;
    begin.insert(begin.end(), rows, rows + first.length(i) * kIn);
    end.insert(end.end(), rows + first.length(i) * kIn, rows + whole.length(i) * kIn);
  }
  with_each_strategy([&](AttentionStrategy strategy) {
    const MultiHeadOptions options{
        .heads = s.heads, .kv_heads = s.kv_heads, .causal = true, .strategy = strategy};
    const auto layer = [&](Graph& graph, Value in, std::optional<Value> past) {
      MultiHeadOptions with = options;
      const RotaryOptions turning{.dims = 6};
      with.rotary =
          Rotary{past ? rotary_table(graph, in, *past, turning) : rotary_table(graph, in, turning)};
      with.past = past;
      return multi_head(graph, in, numbers.fused(), with);
    };
    const auto run = [&](const Batch& batch, const std::vector<float>& x, const char* name) {
      Graph graph;
      const MultiHeadValues values = layer(graph, graph.input("x", DType::f32, kIn), std::nullopt);
      graph.output("y", values.output);
      graph.output("keys_values", values.keys_values);
      return run_output(compile(graph), batch, x, kIn, {}, name);
    };
    const std::vector<float> expected = run(whole, x, "y"), kept = run(first, begin, "keys_values");

    Graph graph;
    const Value in = graph.input("x", DType::f32, kIn);
    const Value past = graph.input("past", DType::f32, s.k_width() + s.v_width());
    graph.output("y", layer(graph, in, past).output);
    std::vector<float> y(static_cast<size_t>(second.rows() * kOut));
    compile(graph).run(
        std::vector<Input>{
            {"x", second, {end.data(), {second.rows(), kIn}}},
            {"past", first, {kept.data(), {first.rows(), s.k_width() + s.v_width()}}}},
        std::vector<Output>{{"y", {y.data(), {second.rows(), kOut}}}});
    for (int64_t i = 0; i < whole.sequences(); ++i) {
      for (int64_t n = 0; n < second.length(i) * kOut; ++n) {
        ASSERT_NEAR(y[second.offsets()[i] * kOut + n],
                    expected[(whole.offsets()[i] + first.length(i)) * kOut + n], 1e-5)
            << i << ' ' << n;
      }
    }
  });
}

TEST(MultiHeadOptions, RefusesWhatDoesNotFit) {
  Random random(6);
  const Numbers numbers(random, {});
  const std::vector<float> bias(4 * 8);
  const auto refused = [&](const char* message, const MultiHeadOptions& options) {
    Graph graph;
    const Value x = graph.input("x", DType::f32, kIn);
    expect_error(ErrorCode::invalid_argument, message,
                 [&] { multi_head(graph, x, numbers.fused(), options, "attention"); });
  };
  refused("heads is 5, expected a divisor of out.weight's 24 inputs", {.heads = 5});
  refused("kv_heads is 3, expected a divisor of 4 heads", {.heads = 4, .kv_heads = 3});
  refused("has 72 rows, expected 4 heads of queries, 1 of keys", {.heads = 4, .kv_heads = 1});
  refused("scale is inf, expected a finite number", {.heads = 4, .scale = INFINITY});
  refused("softcap is -1", {.heads = 4, .softcap = -1});
  refused("left_window is -2, expected at least 0", {.heads = 4, .left_window = -2});
  refused("alibi_slopes has 3 numbers, expected one for each of 4 heads",
          {.heads = 4, .alibi_slopes = {1, 2, 3}});
  refused("relative_bias has the shape [4, 8], expected [1 or 4, an odd number]",
          {.heads = 4, .relative_bias = TensorView(bias.data(), {4, 8})});
  Graph graph;
  const Value x = graph.input("x", DType::f32, kIn), past = graph.input("past", DType::f32, 3);
  expect_error(ErrorCode::invalid_argument, "past is f32 [tokens of stream 1, 3]",
               [&] { multi_head(graph, x, numbers.fused(), {.heads = 4, .past = past}); });
  expect_error(ErrorCode::invalid_argument, "bias is f32 [tokens of stream 1, 3]",
               [&] { multi_head(graph, x, numbers.fused(), {.heads = 4, .bias = past}); });
  expect_error(ErrorCode::invalid_argument, "dims is 3, expected an even number",
               [&] { rotary_table(graph, x, {.dims = 3}); });
}

}  // namespace
}  // namespace headway
