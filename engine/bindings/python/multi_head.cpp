// The layer MultiHead: a graph of it alone, compiled.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/bindings/python/arrays.hpp"
#include "engine/bindings/python/calls.hpp"
#include "engine/bindings/python/memory.hpp"
#include "engine/bindings/python/parts.hpp"
#include "headway/engine.hpp"
#include "headway/layers.hpp"

namespace nb = nanobind;

namespace headway::python {
namespace {

using Matrix = DenseArray<2>;
using Vector = DenseArray<1>;

// The engine points into the arrays, which this keeps.
struct Layer {
  Matrix qkv_weight, out_weight;
  std::optional<Vector> qkv_bias, out_bias;
  std::optional<Engine> engine;
};

template <typename Source>
Weight weight(const Source& array, const char* name) {
  std::vector<int64_t> shape(array.ndim());
  for (size_t axis = 0; axis < shape.size(); ++axis)
    shape[axis] = static_cast<int64_t>(array.shape(axis));
  return Weight(TensorView(array.data(), Shape(shape)), name);
}

Weight weight(const std::optional<Vector>& array, const char* name) {
  return array ? weight(*array, name) : Weight();
}

struct Options {
  MultiHeadOptions attention;
  Limits limits;
  CompileOptions compile;
};

Options read_options(const nb::typed<nb::dict, nb::str, nb::any>& given) {
  const auto optional = [&](const char* name, auto& value) {
    const nb::object item = given[name];
    if (!item.is_none()) value = nb::cast<typename std::decay_t<decltype(value)>::value_type>(item);
  };
  Options options;
  options.attention.heads = nb::cast<int64_t>(given["heads"]);
  options.attention.kv_heads = nb::cast<int64_t>(given["kv_heads"]);
  optional("scale", options.attention.scale);
  options.attention.softcap = nb::cast<float>(given["softcap"]);
  options.attention.causal = nb::cast<bool>(given["is_causal"]);
  optional("left_window", options.attention.left_window);
  optional("right_window", options.attention.right_window);
  options.limits.threads = nb::cast<int>(given["threads"]);
  options.limits.memory = nb::cast<size_t>(given["memory"]);
  options.compile.precision = read_precision(nb::cast<std::string>(given["precision"]));
  return options;
}

void create(Layer* layer, Matrix qkv_weight, Matrix out_weight, std::optional<Vector> qkv_bias,
            std::optional<Vector> out_bias, const nb::typed<nb::dict, nb::str, nb::any>& given) {
  const Options options = read_options(given);
  Layer made{qkv_weight, out_weight, qkv_bias, out_bias, std::nullopt};
  MultiHeadWeights weights;
  weights.qkv = {{weight(qkv_weight, "qkv_weight"), weight(qkv_bias, "qkv_bias")}};
  weights.out = {weight(out_weight, "out_weight"), weight(out_bias, "out_bias")};
  {
    const nb::gil_scoped_release others_may_run;
    Graph graph;
    const Value x = graph.input("x", DType::f32, static_cast<int64_t>(qkv_weight.shape(1)));
    const MultiHeadValues values = multi_head(graph, x, weights, options.attention, "MultiHead");
    graph.output("y", values.output);
    graph.output("weights", values.weights);
    made.engine = compile(graph, options.limits, options.compile);
  }
  new (layer) Layer(std::move(made));
}

// x [rows, in] and y [rows, D] of sequences of these lengths, one after the other; weights, where
// they are given, [H, T, T] of each.
void run(const Layer& layer, const std::vector<int64_t>& lengths, Matrix x, OutputArray<2> y,
         std::optional<OutputArray<1>> weights, const CancelToken* cancel) {
  const auto shape = [](const auto& array) {
    return Shape{static_cast<int64_t>(array.shape(0)), static_cast<int64_t>(array.shape(1))};
  };
  const Batch batch = Batch::ragged(lengths);
  const Input input{"x", batch, TensorView(x.data(), shape(x))};
  std::vector<Output> outputs{{"y", MutableTensorView(y.data(), shape(y))}};
  if (weights)
    outputs.push_back(
        {"weights", MutableTensorView(weights->data(), {static_cast<int64_t>(weights->shape(0))})});
  call_library(cancel, layer.engine->flops(batch), [&](const std::stop_token& stop) {
    RunOptions options;
    options.stop = stop;
    layer.engine->run(std::span(&input, 1), outputs, options);
  });
}

}  // namespace

void add_multi_head(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Layer>(module, "MultiHead")
      .def("__init__", &create, "qkv_weight"_a.noconvert(), "out_weight"_a.noconvert(),
           "qkv_bias"_a.noconvert().none(), "out_bias"_a.noconvert().none(), "options"_a)
      .def("run", &run, "lengths"_a, "x"_a.noconvert(), "y"_a.noconvert(),
           "weights"_a.noconvert().none(), "cancel"_a.none())
      .def("memory", [](const Layer& layer) { return memory_use(*layer.engine); })
      .def("trim", [](const Layer& layer) { layer.engine->trim(); });
}

}  // namespace headway::python
