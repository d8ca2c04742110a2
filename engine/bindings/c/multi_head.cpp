// The layer MultiHead: a graph of it alone, compiled.
#include <span>

#include "engine/base/checked.hpp"
#include "engine/bindings/c/guard.hpp"
#include "engine/bindings/c/open_handles.hpp"
#include "engine/bindings/c/options.hpp"
#include "engine/bindings/c/structs.hpp"
#include "headway/layers.hpp"

struct headway_multi_head {
  headway::Engine engine;
  int64_t dim;
};

namespace headway::c {
namespace {

// It stays while the call does.
headway_multi_head layer_of(const headway_multi_head* handle) {
  return *find(handle, "layer");
}

Weight read_weight(const float* data, Shape shape, const char* name) {
  return Weight(TensorView(data, shape), name);
}

MultiHeadOptions read_attention(const headway_multi_head_options* attention) {
  const headway_multi_head_options given = read_struct(attention, "attention");
  MultiHeadOptions options{.heads = given.heads, .kv_heads = given.kv_heads};
  if (given.scale != 0) options.scale = given.scale;
  options.softcap = given.softcap;
  options.causal = read_flag(given.causal, "attention.causal");
  if (read_flag(given.has_left_window, "attention.has_left_window"))
    options.left_window = given.left_window;
  if (read_flag(given.has_right_window, "attention.has_right_window"))
    options.right_window = given.right_window;
  if (given.alibi_slope_count > 0) {
    if (given.heads < 0 || given.alibi_slope_count != static_cast<size_t>(given.heads))
      fail(ErrorCode::invalid_argument, "attention.alibi_slope_count: expected ", given.heads,
           ", found ", given.alibi_slope_count);
    const float* slopes = &not_null(given.alibi_slopes, "attention.alibi_slopes");
    options.alibi_slopes.assign(slopes, slopes + given.alibi_slope_count);
  }
  if (given.relative_bias)
    options.relative_bias =
        read_weight(given.relative_bias, {given.relative_bias_heads, given.relative_bias_distances},
                    "attention.relative_bias");
  return options;
}

// Rows of the projection to queries, keys and values.
int64_t qkv_rows(int64_t dim, const MultiHeadOptions& options) {
  if (options.heads < 1 || dim % options.heads != 0)
    fail(ErrorCode::invalid_argument, "attention.heads: expected a divisor of ", dim, ", found ",
         options.heads);
  if (options.kv_heads < 0 || options.kv_heads > options.heads)
    fail(ErrorCode::invalid_argument, "attention.kv_heads: expected 0 to ", options.heads,
         ", found ", options.kv_heads);
  const int64_t kv_heads = options.kv_heads == 0 ? options.heads : options.kv_heads;
  const int64_t keys = dim / options.heads * kv_heads;
  return checked_add(dim, checked_mul(keys, 2, "weights.dim"), "weights.dim");
}

headway_multi_head create(const headway_multi_head_weights* weights,
                          const headway_multi_head_options* attention,
                          const headway_options* options) {
  const headway_multi_head_weights given = read_struct(weights, "weights");
  if (given.dim < 1)
    fail(ErrorCode::invalid_argument, "weights.dim: expected 1 or more, found ", given.dim);
  not_null(given.qkv_weight, "weights.qkv_weight");
  not_null(given.out_weight, "weights.out_weight");
  const MultiHeadOptions how = read_attention(attention);
  const int64_t dim = given.dim, rows = qkv_rows(dim, how);
  MultiHeadWeights layer;
  layer.qkv = {{read_weight(given.qkv_weight, {rows, dim}, "weights.qkv_weight"),
                read_weight(given.qkv_bias, {rows}, "weights.qkv_bias")}};
  layer.out = {read_weight(given.out_weight, {dim, dim}, "weights.out_weight"),
               read_weight(given.out_bias, {dim}, "weights.out_bias")};

  Graph graph;
  const Value x = graph.input("x", DType::f32, dim);
  const MultiHeadValues values = multi_head(graph, x, layer, how);
  graph.output("y", values.output);
  graph.output("weights", values.weights);
  const EngineOptions engine = read_options(options);
  return {compile(graph, engine.limits, {.precision = engine.precision}), dim};
}

// An output of exactly `needed` elements in the caller's memory.
Output bind(std::string_view output, std::string_view capacity_name, float* data, int64_t needed,
            size_t capacity) {
  if (capacity < static_cast<size_t>(needed))
    throw BufferTooSmall{capacity_name, static_cast<size_t>(needed), capacity};
  return {output, MutableTensorView(data, {needed})};
}

void run(const headway_multi_head& layer, const headway_multi_head_request* request) {
  const headway_multi_head_request given = read_struct(request, "request");
  if (given.sequences > 0) not_null(given.lengths, "request.lengths");
  const Batch batch = Batch::ragged(std::span(given.lengths, given.sequences));
  const int64_t elements = checked_mul(batch.rows(), layer.dim, "request.lengths");
  if (given.x_count != static_cast<size_t>(elements))
    fail(ErrorCode::invalid_argument, "request.x_count: expected ", elements, " for ", batch.rows(),
         " rows of ", layer.dim, ", found ", given.x_count);
  if (elements > 0) {
    not_null(given.x, "request.x");
    not_null(given.y, "request.y");
  }
  const Input x{"x", batch, TensorView(given.x, {batch.rows(), layer.dim})};
  const std::span<const Input> inputs(&x, 1);
  std::vector<Output> outputs{bind("y", "request.capacity", given.y, elements, given.capacity)};
  if (given.weights)
    outputs.push_back(bind("weights", "request.weights_capacity", given.weights,
                           layer.engine.output_elements("weights", inputs),
                           given.weights_capacity));
  layer.engine.run(inputs, outputs, read_run_options(given.run));
}

}  // namespace
}  // namespace headway::c

using namespace headway::c;

headway_status headway_multi_head_create(const headway_multi_head_weights* weights,
                                         const headway_multi_head_options* attention,
                                         const headway_options* options, headway_multi_head** layer,
                                         headway_error* error) {
  return guard(error, [&] {
    not_null(layer, "layer") = nullptr;
    *layer = open_handle(create(weights, attention, options));
  });
}

headway_status headway_multi_head_copy(const headway_multi_head* layer, headway_multi_head** copy,
                                       headway_error* error) {
  return copy_handle(layer, "layer", copy, error);
}

void headway_multi_head_close(headway_multi_head* layer) {
  close_handle(layer);
}

headway_status headway_multi_head_get_memory(const headway_multi_head* layer,
                                             headway_memory* memory, headway_error* error) {
  return guard(error, [&] { write_memory(memory, layer_of(layer).engine); });
}

headway_status headway_multi_head_trim(const headway_multi_head* layer, headway_error* error) {
  return guard(error, [&] { layer_of(layer).engine.trim(); });
}

headway_status headway_multi_head_run(const headway_multi_head* layer,
                                      const headway_multi_head_request* request,
                                      headway_error* error) {
  return guard(error, [&] { run(layer_of(layer), request); });
}
