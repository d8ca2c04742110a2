// What cannot be a layer is refused when the graph is built, with a message that names the layer,
// what was expected and what came.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "headway/layers.hpp"
#include "tests/support/expect_error.hpp"

namespace headway {
namespace {

constexpr auto kInvalid = ErrorCode::invalid_argument;

// Memory behind weights that are never read.
const std::vector<float> kNumbers(4096);

Weight weight(Shape shape, const std::string& name = "", DType dtype = DType::f32) {
  return {TensorView(kNumbers.data(), dtype, shape), name};
}

class Refusal : public testing::Test {
 protected:
  Graph graph;
  Value x = graph.input("x", DType::f32, 8);
  Value ids = graph.input("ids", DType::i32, 1);
  Value pooled = pool(graph, x, Pooling::mean);
  MultiHeadWeights good = {{{weight({24, 8}), {}}}, {weight({8, 8}), weight({8})}};
};

TEST_F(Refusal, LinearOfAnotherWidth) {
  expect_error(kInvalid,
               "layer 'up' (Linear): x is f32 [tokens of stream 0, 8], expected the width 9", [&] {
                 linear(graph, x, {weight({4, 9}), {}}, "up");
               });
  // Without a name: the kind and the number of the layer.
  expect_error(kInvalid, "layer 'Linear 1' (Linear): x is f32 [sequences, 8]", [&] {
    linear(graph, pooled, {weight({4, 9}), {}});
  });
}

TEST_F(Refusal, LinearOfIds) {
  expect_error(kInvalid, "x is i32 [tokens of stream 1, 1], expected f32", [&] {
    linear(graph, ids, {weight({4, 1}), {}}, "up");
  });
}

TEST_F(Refusal, LinearWeights) {
  expect_error(kInvalid, "layer 'up': weight is missing, expected the shape [any, any]",
               [&] { linear(graph, x, LinearWeights{}, "up"); });
  expect_error(kInvalid, "layer 'up': weight (file: w) has the shape [8], expected [any, any]",
               [&] {
                 linear(graph, x, {weight({8}, "file: w"), {}}, "up");
               });
  expect_error(kInvalid, "has the shape [0, 8], expected [any, any]", [&] {
    linear(graph, x, {weight({0, 8}), {}}, "up");
  });
  expect_error(kInvalid, "a layer: weight has the type i64, expected f32, f16 or bf16", [&] {
    linear(graph, x, {weight({4, 8}, "", DType::i64), {}});
  });
  expect_error(kInvalid, "layer 'up': bias (b) has the shape [5], expected [4]", [&] {
    linear(graph, x, {weight({4, 8}), weight({5}, "b")}, "up");
  });
  expect_error(kInvalid, "layer 'up': bias has the type u8, expected f32, f16 or bf16", [&] {
    linear(graph, x, {weight({4, 8}), weight({4}, "", DType::u8)}, "up");
  });
}

TEST_F(Refusal, LinearParts) {
  expect_error(kInvalid, "layer 'up': no weights, expected at least one",
               [&] { linear(graph, x, std::vector<LinearWeights>{}, "up"); });
  expect_error(kInvalid, "layer 'up': weight has the shape [4, 7], expected [any, 8]", [&] {
    linear(graph, x, std::vector<LinearWeights>{{weight({4, 8}), {}}, {weight({4, 7}), {}}}, "up");
  });
  for (const bool first : {false, true}) {
    expect_error(
        kInvalid, "layer 'up': some parts have a bias and some have none, expected all or none",
        [&] {
          const LinearWeights with{weight({4, 8}), weight({4})}, without{weight({4, 8}), {}};
          linear(graph, x, first ? std::vector{with, without} : std::vector{without, with}, "up");
        });
  }
}

TEST_F(Refusal, LayerNorm) {
  const auto norm = [&](const Weight& gamma, const Weight& beta, float epsilon = 1e-5f) {
    layer_norm(graph, x, gamma, beta, epsilon, "norm");
  };
  expect_error(kInvalid, "layer 'norm': gamma is missing, expected the shape [any]",
               [&] { norm({}, {}); });
  expect_error(kInvalid, "layer 'norm': gamma (g) has the shape [8, 1], expected [any]", [&] {
    norm(weight({8, 1}, "g"), {});
  });
  expect_error(kInvalid,
               "layer 'norm' (LayerNorm): x is f32 [tokens of stream 0, 8], expected the width 9",
               [&] { norm(weight({9}), {}); });
  expect_error(kInvalid, "layer 'norm': beta has the shape [9], expected [8]",
               [&] { norm(weight({8}), weight({9})); });
  expect_error(kInvalid, "gamma has the type i64", [&] { norm(weight({8}, "", DType::i64), {}); });
  for (const float epsilon : {0.0f, -1.0f, NAN, INFINITY}) {
    expect_error(kInvalid, "expected a finite number above 0",
                 [&] { norm(weight({8}), {}, epsilon); });
  }
  expect_error(kInvalid, "x is i32 [tokens of stream 1, 1], expected f32",
               [&] { layer_norm(graph, ids, weight({1}), {}, 1e-5f); });
}

TEST_F(Refusal, Add) {
  const Value wide = linear(graph, x, {weight({9, 8}), {}});
  const Value other = graph.input("other", DType::f32, 8);
  expect_error(kInvalid,
               "layer 'sum' (Add): b is f32 [tokens of stream 0, 9], expected f32 [tokens of "
               "stream 0, 8] as a",
               [&] { add(graph, x, wide, "sum"); });
  expect_error(kInvalid, "b is f32 [tokens of stream 2, 8], expected f32 [tokens of stream 0, 8]",
               [&] { add(graph, x, other, "sum"); });
  expect_error(kInvalid, "b is f32 [sequences, 8], expected f32 [tokens of stream 0, 8]",
               [&] { add(graph, x, pooled, "sum"); });
  expect_error(kInvalid, "a is i32 [tokens of stream 1, 1], expected f32",
               [&] { add(graph, ids, ids, "sum"); });
}

TEST_F(Refusal, Gate) {
  const Value odd = linear(graph, x, {weight({9, 8}), {}});
  expect_error(kInvalid,
               "layer 'glu' (Gate): x is f32 [tokens of stream 0, 9], expected an even width",
               [&] { gate(graph, odd, Activation::silu, "glu"); });
  expect_error(kInvalid, "x is i32 [tokens of stream 1, 1], expected f32",
               [&] { gate(graph, ids, Activation::silu); });
}

TEST_F(Refusal, Embedding) {
  expect_error(kInvalid,
               "layer 'words' (Embedding): ids are f32 [tokens of stream 0, 8], expected i32 "
               "[tokens, 1]",
               [&] {
                 embedding(graph, x, weight({10, 8}), "words");
               });
  const Value pairs = graph.input("pairs", DType::i32, 2);
  expect_error(kInvalid, "ids are i32 [tokens of stream 2, 2], expected i32 [tokens, 1]", [&] {
    embedding(graph, pairs, weight({10, 8}), "words");
  });
  expect_error(kInvalid, "layer 'words': table is missing, expected the shape [any, any]",
               [&] { embedding(graph, ids, {}, "words"); });
  expect_error(kInvalid, "layer 'words': table (t) has the shape [10], expected [any, any]",
               [&] { embedding(graph, ids, weight({10}, "t"), "words"); });
  expect_error(kInvalid, "the rows of f32 [sequences, 8] have no positions, expected tokens", [&] {
    position_embedding(graph, pooled, weight({10, 8}), "places");
  });
  expect_error(kInvalid, "layer 'places': table has the type i64", [&] {
    position_embedding(graph, x, weight({10, 8}, "", DType::i64), "places");
  });
}

TEST_F(Refusal, Gather) {
  expect_error(kInvalid, "layer 'some' (Gather): x is i32 [tokens of stream 1, 1], expected f32",
               [&] { gather(graph, ids, ids, "some"); });
  expect_error(kInvalid, "x is f32 [sequences, 8], expected rows of tokens",
               [&] { gather(graph, pooled, ids); });
  expect_error(kInvalid, "places are f32 [tokens of stream 0, 8], expected i32 [tokens, 1]",
               [&] { gather(graph, x, x); });
  const Value pairs = graph.input("pairs", DType::i32, 2);
  expect_error(kInvalid, "places are i32 [tokens of stream 2, 2], expected i32 [tokens, 1]",
               [&] { gather(graph, x, pairs); });
}

TEST_F(Refusal, Pool) {
  expect_error(kInvalid, "layer 'again' (Pool): x is f32 [sequences, 8], expected rows of tokens",
               [&] { pool(graph, pooled, Pooling::cls, "again"); });
  expect_error(kInvalid, "x is i32 [tokens of stream 1, 1], expected f32",
               [&] { pool(graph, ids, Pooling::mean); });
  expect_error(kInvalid, "kinds: expected at least one",
               [&] { pool(graph, x, PoolOptions{.kinds = {}}); });
  expect_error(kInvalid,
               "skip is i32 [tokens of stream 1, 1], expected i32 [tokens of stream 0, 1]",
               [&] { pool(graph, x, PoolOptions{.skip = ids}); });
}

TEST_F(Refusal, ElementsThatAreNoNumbers) {
  expect_error(kInvalid, "layer 'act' (Activation): x is i32 [tokens of stream 1, 1], expected f32",
               [&] { activation(graph, ids, Activation::relu, "act"); });
  expect_error(kInvalid, "layer 'unit' (L2Normalize): x is i32",
               [&] { l2_normalize(graph, ids, "unit"); });
}

// Attention weights lie head after head: rows of H numbers they have not.
TEST_F(Refusal, RowsOfAttentionWeights) {
  const Value weights = multi_head(graph, x, good, {.heads = 2}).weights;
  const std::string message =
      "x is f32 [pairs of tokens of streams 0 and 0, 2], expected rows of tokens";
  expect_error(kInvalid, message, [&] { linear(graph, weights, {weight({4, 2}), {}}); });
  expect_error(kInvalid, message, [&] { layer_norm(graph, weights, weight({2}), {}, 1e-5f); });
  expect_error(kInvalid, message, [&] { l2_normalize(graph, weights); });
  expect_error(kInvalid, message, [&] { pool(graph, weights, Pooling::mean); });
}

TEST_F(Refusal, MultiHeadHeads) {
  for (const int64_t heads : {0, -1, 3, 16}) {
    expect_error(kInvalid,
                 "layer 'attention' (MultiHead): heads is " + std::to_string(heads) +
                     ", expected a divisor of out.weight's 8 inputs",
                 [&] { multi_head(graph, x, good, {.heads = heads}, "attention"); });
  }
}

TEST_F(Refusal, MultiHeadScale) {
  for (const float scale : {NAN, INFINITY, -INFINITY}) {
    expect_error(kInvalid, "expected a finite number",
                 [&] { multi_head(graph, x, good, {.heads = 2, .scale = scale}, "attention"); });
  }
  expect_error(kInvalid, "a layer (MultiHead): scale is inf, expected a finite number",
               [&] { multi_head(graph, x, good, {.heads = 2, .scale = INFINITY}); });
}

TEST_F(Refusal, MultiHeadWeights) {
  const auto attend = [&](const MultiHeadWeights& weights) {
    multi_head(graph, x, weights, {.heads = 2}, "attention");
  };
  const LinearWeights out = good.out, part{weight({8, 8}), weight({8})};
  const std::string at = "layer 'attention' (MultiHead): ";
  expect_error(kInvalid, at + "qkv has 0 parts, expected 1 (fused) or 3 (q, k, v)", [&] {
    attend({{}, out});
  });
  expect_error(kInvalid, at + "qkv has 2 parts, expected 1 (fused) or 3 (q, k, v)", [&] {
    attend({{part, part}, out});
  });
  expect_error(kInvalid, at + "out.weight is missing", [&] { attend({good.qkv, {}}); });
  expect_error(kInvalid, at + "heads is 2, expected a divisor of out.weight's 7 inputs", [&] {
    attend({good.qkv, {weight({8, 7}), {}}});
  });
  expect_error(kInvalid, at + "qkv weight (w) has 23 rows, expected 2 heads of queries, 2 of keys",
               [&] {
                 attend({{{weight({23, 8}, "w"), {}}}, out});
               });
  expect_error(kInvalid, at + "qkv weight has the shape [24, 8], expected [8, any]", [&] {
    attend({{part, {weight({24, 8}), weight({24})}, part}, out});
  });
  expect_error(kInvalid, at + "qkv weight is missing", [&] { attend({{{}}, out}); });
  expect_error(kInvalid, at + "qkv weight has the type i64", [&] {
    attend({{{weight({24, 8}, "", DType::i64), {}}}, out});
  });
  expect_error(kInvalid, at + "qkv bias has the shape [8], expected [24]", [&] {
    attend({{{weight({24, 8}), weight({8})}}, out});
  });
  expect_error(kInvalid, "layer 'attention': bias has the shape [9], expected [8]", [&] {
    attend({good.qkv, {weight({8, 8}), weight({9})}});
  });
  expect_error(kInvalid, "layer 'attention': some parts have a bias and some have none", [&] {
    attend({{part, {weight({8, 8}), {}}, part}, out});
  });
  expect_error(kInvalid,
               "layer 'attention' (Linear): x is f32 [tokens of stream 0, 8], expected the width 9",
               [&] {
                 attend({{{weight({24, 9}), {}}}, out});
               });
}

TEST_F(Refusal, MultiHeadValues) {
  expect_error(kInvalid,
               "layer 'attention' (MultiHead): x is f32 [sequences, 8], expected rows of tokens",
               [&] { multi_head(graph, pooled, good, {.heads = 2}, "attention"); });
  expect_error(kInvalid, "memory is f32 [sequences, 8], expected rows of tokens",
               [&] { multi_head(graph, x, pooled, good, {.heads = 2}, "attention"); });
  expect_error(kInvalid, "memory is i32 [tokens of stream 1, 1], expected f32",
               [&] { multi_head(graph, x, ids, good, {.heads = 2}, "attention"); });
}

// A fused qkv bias of another size must not be cut as if it fitted.
TEST_F(Refusal, CrossAttentionBias) {
  const Value memory = graph.input("memory", DType::f32, 8);
  for (const int64_t size : {16, 32}) {
    const MultiHeadWeights weights = {{{weight({24, 8}), weight({size})}}, good.out};
    expect_error(kInvalid,
                 "layer 'attention' (MultiHead): qkv bias has the shape [" + std::to_string(size) +
                     "], expected [24]",
                 [&] { multi_head(graph, x, memory, weights, {.heads = 2}, "attention"); });
  }
}

// A refused layer leaves the graph as good as before.
TEST_F(Refusal, LeavesTheGraphUsable) {
  expect_error(kInvalid, "expected", [&] { linear(graph, x, {weight({4, 9}), {}}); });
  expect_error(kInvalid, "bias has the shape [9]", [&] {
    multi_head(graph, x, {good.qkv, {weight({8, 8}), weight({9})}}, {.heads = 2});
  });
  const Value y = linear(graph, x, {weight({4, 8}), {}});
  EXPECT_EQ(graph.type(y).to_string(), "f32 [tokens of stream 0, 4]");
}

}  // namespace
}  // namespace headway
