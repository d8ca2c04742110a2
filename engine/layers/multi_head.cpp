// Multi-head attention: q, k, v projections, attention, output projection.
#include "engine/layers/attention.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/rotary.hpp"
#include "engine/ops/score_options.hpp"
#include "headway/layers.hpp"

namespace headway {
namespace {

void check_options(const MultiHeadOptions& options, const HeadSizes& sizes, bool cross) {
  check_score_options(options, sizes.heads, "");
  if (options.relative_bias) {
    expect_weight("relative_bias", options.relative_bias, {-1, -1});
    check_relative_bias(options.relative_bias.shape(), sizes.heads,
                        describe("relative_bias", options.relative_bias));
  }
  if (options.rotary && cross)
    fail(ErrorCode::invalid_argument, "rotary positions need keys of x, not of another stream");
  if (options.past && (options.bias || options.bottom_right || cross)) {
    fail(ErrorCode::invalid_argument,
         "past does not go together with bias, bottom_right or keys of another stream");
  }
}

// Sizes, after checking that the weights fit the options and each other.
HeadSizes checked_sizes(const MultiHeadWeights& weights, const MultiHeadOptions& options,
                        bool cross) {
  expect_weight("out.weight", weights.out.weight, {-1, -1});
  HeadSizes sizes{.heads = options.heads,
                  .kv_heads = options.kv_heads == 0 ? options.heads : options.kv_heads,
                  .size = 0,
                  .value_size = 0};
  const int64_t mixed = weights.out.weight.shape()[1];
  if (sizes.heads < 1 || mixed % sizes.heads != 0) {
    fail(ErrorCode::invalid_argument, "heads is ", sizes.heads,
         ", expected a divisor of out.weight's ", mixed, " inputs");
  }
  if (sizes.kv_heads < 1 || sizes.heads % sizes.kv_heads != 0) {
    fail(ErrorCode::invalid_argument, "kv_heads is ", sizes.kv_heads, ", expected a divisor of ",
         sizes.heads, " heads");
  }
  sizes.value_size = mixed / sizes.heads;
  const int64_t v_width = sizes.kv_heads * sizes.value_size;
  const auto check_part = [](const LinearWeights& part, int64_t out) {
    expect_weight("qkv weight", part.weight, {out, -1});
    if (part.bias) expect_weight("qkv bias", part.bias, {out});
  };
  if (weights.qkv.size() == 1) {
    expect_weight("qkv weight", weights.qkv[0].weight, {-1, -1});
    const int64_t rows = weights.qkv[0].weight.shape()[0];
    sizes.size = (rows - v_width) / (sizes.heads + sizes.kv_heads);
    if (sizes.size < 1 || sizes.q_width() + sizes.kv_width() != rows) {
      fail(ErrorCode::invalid_argument, describe("qkv weight", weights.qkv[0].weight), " has ",
           rows, " rows, expected ", sizes.heads, " heads of queries, ", sizes.kv_heads,
           " of keys of the same size, and ", v_width, " rows of values");
    }
    check_part(weights.qkv[0], rows);
  } else if (weights.qkv.size() == 3) {
    expect_weight("qkv weight", weights.qkv[0].weight, {-1, -1});
    const int64_t rows = weights.qkv[0].weight.shape()[0];
    if (rows % sizes.heads != 0) {
      fail(ErrorCode::invalid_argument, describe("qkv weight", weights.qkv[0].weight), " has ",
           rows, " rows, expected a multiple of ", sizes.heads, " heads");
    }
    sizes.size = rows / sizes.heads;
    check_part(weights.qkv[0], rows);
    check_part(weights.qkv[1], sizes.kv_heads * sizes.size);
    check_part(weights.qkv[2], v_width);
  } else {
    fail(ErrorCode::invalid_argument, "qkv has ", weights.qkv.size(),
         " parts, expected 1 (fused) or 3 (q, k, v)");
  }
  check_options(options, sizes, cross);
  return sizes;
}

// Rows [begin, end) of a fused qkv Linear.
LinearWeights rows(const LinearWeights& fused, int64_t begin, int64_t end) {
  return {fused.weight.rows(begin, end), fused.bias ? fused.bias.rows(begin, end) : Weight()};
}

MultiHeadValues attend(Graph& graph, std::vector<Value> inputs, const HeadSizes& sizes,
                       LinearWeights out, const MultiHeadOptions& options,
                       const std::string& name) {
  const bool cross = inputs.size() == 2;
  if (options.bias) inputs.push_back(*options.bias);
  if (options.past) inputs.push_back(*options.past);
  const std::vector<Value> attended =
      graph.add(name, attention_layer(sizes, options, cross), inputs);
  MultiHeadValues values;
  values.output = linear(graph, attended[0], std::move(out), name);
  values.keys_values = cross ? inputs[1] : attended[1];
  if (!options.past) values.weights = attended.back();
  return values;
}

template <typename Body>
auto with_name(const std::string& name, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    fail(error.code(), name.empty() ? "a layer" : cat("layer '", name, "'"),
         " (MultiHead): ", error.what());
  }
}

void expect_f32_tokens(const char* role, const ValueType& type) {
  expect_f32(role, type);
  expect_tokens(role, type);
}

}  // namespace

MultiHeadValues multi_head(Graph& graph, Value x, MultiHeadWeights weights,
                           const MultiHeadOptions& options, const std::string& name) {
  const HeadSizes sizes = with_name(name, [&] {
    expect_f32_tokens("x", graph.type(x));
    return checked_sizes(weights, options, false);
  });
  Value qkv = linear(graph, x, std::move(weights.qkv), name);
  if (options.rotary)
    qkv = rotate(graph, qkv, *options.rotary, sizes.heads + sizes.kv_heads, sizes.size, name);
  return attend(graph, {qkv}, sizes, std::move(weights.out), options, name);
}

MultiHeadValues multi_head(Graph& graph, Value x, Value memory, MultiHeadWeights weights,
                           const MultiHeadOptions& options, const std::string& name) {
  const HeadSizes sizes = with_name(name, [&] {
    expect_f32_tokens("x", graph.type(x));
    expect_f32_tokens("memory", graph.type(memory));
    return checked_sizes(weights, options, true);
  });
  std::vector<LinearWeights>& qkv = weights.qkv;
  if (qkv.size() == 1) {
    const int64_t width = sizes.q_width();
    qkv = {rows(qkv[0], 0, width), rows(qkv[0], width, width + sizes.kv_width())};
  }
  const Value q = linear(graph, x, {qkv[0]}, name);
  const Value kv = linear(graph, memory, std::vector(qkv.begin() + 1, qkv.end()), name);
  return attend(graph, {q, kv}, sizes, std::move(weights.out), options, name);
}

}  // namespace headway
