// From graph to program.
#include "engine/graph/program.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "engine/base/checked.hpp"
#include "engine/graph/optimize.hpp"
#include "engine/runtime/arena.hpp"

namespace headway {
namespace {

const NamedValue* find(const std::vector<NamedValue>& values, std::string_view name) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const NamedValue& v) { return v.name == name; });
  return found == values.end() ? nullptr : &*found;
}

}  // namespace

Program::Program(const Graph::State& graph, Precision precision)
    : precision(precision),
      types(graph.types),
      inputs(graph.inputs),
      outputs(graph.outputs),
      streams(graph.streams) {
  size_t packed_bytes = 0;
  std::map<std::pair<std::string_view, std::vector<PackedSource>>, size_t> shared;
  for (Node& node : optimize(graph)) {
    if (precision != Precision::f32) {
      if (auto other = node.layer->at_precision(precision)) node.layer = std::move(other);
    }
    std::vector<ValueType> input_types;
    for (int32_t input : node.inputs) input_types.push_back(types[input]);
    size_t offset = packed_bytes;
    bool packs = true;
    if (auto sources = node.layer->packed_from(); !sources.empty()) {
      const auto [known, is_new] =
          shared.try_emplace({node.layer->kind(), std::move(sources)}, packed_bytes);
      offset = known->second;
      packs = is_new;
    }
    if (packs) {
      const size_t bytes =
          checked_round_up(node.layer->packed_bytes(), Arena::kAlignment, "packed weights");
      packed_bytes = checked_add(packed_bytes, bytes, "packed weights");
    }
    parameters = checked_add(parameters, node.layer->parameters(), "parameters");
    steps.push_back({std::move(node), std::move(input_types), offset, packs});
  }

  lifetimes.assign(types.size(), {0, 0});
  for (int32_t i = 0; i < static_cast<int32_t>(steps.size()); ++i) {
    for (int32_t output : steps[i].node.outputs) lifetimes[output] = {i, i};
    for (int32_t input : steps[i].node.inputs) lifetimes[input].last = i;
  }
  for (int32_t i = 0; i < static_cast<int32_t>(steps.size()); ++i) lifetimes.push_back({i, i});

  packed = std::make_unique<ReadOnlyBlock>(packed_bytes);
  for (const Step& step : steps) {
    if (step.packs && step.node.layer->packed_bytes() > 0)
      step.node.layer->pack(packed->writable() + step.packed_offset);
  }
  packed->seal();
}

const NamedValue* Program::find_input(std::string_view name) const {
  return find(inputs, name);
}
const NamedValue* Program::find_output(std::string_view name) const {
  return find(outputs, name);
}

std::shared_ptr<const Program> program_of(const Graph& graph, Precision precision) {
  const Graph::State& state = graph.state();
  if (state.outputs.empty())
    fail(ErrorCode::invalid_argument, "the graph has no outputs: nothing would be computed");
  if (state.inputs.empty())
    fail(ErrorCode::invalid_argument, "the graph has no inputs: nothing gives its sequences");
  std::lock_guard lock(state.programs_mutex);
  std::weak_ptr<const Program>& known = state.programs[static_cast<size_t>(precision)];
  std::shared_ptr<const Program> program = known.lock();
  if (program == nullptr) {
    program = std::make_shared<const Program>(state, precision);
    known = program;
  }
  return program;
}

}  // namespace headway
