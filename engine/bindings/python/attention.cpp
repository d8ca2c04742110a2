// Attention as a function.
#include "headway/attention.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/bindings/python/arrays.hpp"
#include "engine/bindings/python/calls.hpp"
#include "engine/bindings/python/parts.hpp"

namespace nb = nanobind;

namespace headway::python {
namespace {

// The arguments of a call by name: too many for a list of parameters. None is absent.
class Arguments {
 public:
  explicit Arguments(const nb::kwargs& given) : given_(given) {}

  template <typename T>
  T at(const char* name) const {
    return nb::cast<T>(given_[name], /*convert=*/false);
  }
  template <typename T>
  std::optional<T> find(const char* name) const {
    const nb::object value = given_[name];
    return value.is_none() ? std::nullopt : std::optional(nb::cast<T>(value, /*convert=*/false));
  }
  // Or null.
  const CancelToken* cancel() const { return nb::cast<const CancelToken*>(given_["cancel"]); }
  // The numpy arrays stay as long as the call does.
  template <typename T>
  StridedView input(const char* name, DType type) const {
    return strided<StridedView, Array<T, 4>>(name, type);
  }
  MutableStridedView output(const char* name) const {
    return strided<MutableStridedView, OutputArray<4>>(name, DType::f32);
  }

 private:
  template <typename View, typename Source>
  View strided(const char* name, DType type) const {
    const std::optional<Source> array = find<Source>(name);
    if (!array) return {};
    std::array<int64_t, 4> extents, strides;
    for (size_t axis = 0; axis < 4; ++axis) {
      extents[axis] = static_cast<int64_t>(array->shape(axis));
      strides[axis] = array->stride(axis);
    }
    // numpy gives empty arrays any strides.
    return array->size() > 0 ? View(array->data(), type, extents, strides)
                             : View::dense(array->data(), extents, type);
  }

  const nb::kwargs& given_;
};

void attend(const nb::kwargs& given) {
  const Arguments arguments(given);
  const auto floats = [&](const char* name) { return arguments.input<float>(name, DType::f32); };
  const auto key_lengths = arguments.find<std::vector<int64_t>>("key_lengths");
  AttentionOptions options;
  if (const auto scale = arguments.find<double>("scale"))
    options.scale = static_cast<float>(*scale);
  options.softcap = static_cast<float>(arguments.at<double>("softcap"));
  options.causal = arguments.at<bool>("is_causal");
  options.left_window = arguments.find<int64_t>("left_window");
  options.right_window = arguments.find<int64_t>("right_window");
  if (key_lengths) options.key_lengths = *key_lengths;
  options.mask = arguments.input<bool>("mask", DType::boolean);
  options.bias = floats("bias");
  options.past_key = floats("past_key");
  options.past_value = floats("past_value");
  options.present_key = arguments.output("present_key");
  options.present_value = arguments.output("present_value");
  options.scores = arguments.output("scores");
  if (options.scores) {
    options.score_stage =
        named("qk_output", arguments.at<std::string>("qk_output"),
              {ScoreStage::raw, ScoreStage::softcap, ScoreStage::bias, ScoreStage::weights});
  }
  options.threads = arguments.at<int>("threads");
  const StridedView q = floats("q"), k = floats("k"), v = floats("v");
  const MutableStridedView y = arguments.output("y");
  double flops = 2;
  for (const int64_t extent :
       {q.extents[0], q.extents[1], q.extents[2], options.past_key.extents[2] + k.extents[2],
        q.extents[3] + v.extents[3]})
    flops *= static_cast<double>(extent);
  call_library(arguments.cancel(), flops, [&](const std::stop_token& stop) {
    options.stop = stop;
    attention(q, k, v, y, options);
  });
}

}  // namespace

void add_attention(nb::module_& module) {
  module.def("attention", &attend, nb::sig("def attention(**arguments: object) -> None"),
             "Writes into y, and into the other outputs that are given.");
}

}  // namespace headway::python
