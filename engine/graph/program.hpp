// A graph made ready to run: fused, ordered, its weights packed. Independent of limits, so engines
// of one graph share it.
#pragma once

#include <memory>
#include <vector>

#include "engine/graph/graph_state.hpp"
#include "engine/layers/layer.hpp"
#include "engine/runtime/planner.hpp"
#include "engine/runtime/read_only_block.hpp"

namespace headway {

// One layer of the program.
struct Step {
  Node node;
  std::vector<ValueType> input_types;
  size_t packed_offset;  // in the packed block
  bool packs;            // false: another step has packed the same there
};

// Immutable.
struct Program {
  static constexpr int32_t kMaxStreams = 8;

  Program(const Graph::State& graph, Precision precision);

  Precision precision;
  std::vector<ValueType> types;
  std::vector<Step> steps;
  std::vector<NamedValue> inputs;
  std::vector<NamedValue> outputs;
  int32_t streams;
  int64_t parameters = 0;
  // When each value must be kept: from the step that makes it to the last one that reads it; then,
  // one a step, the scratch its team shares. An output that is not bound lives like any other
  // value.
  std::vector<Lifetime> lifetimes;
  std::unique_ptr<ReadOnlyBlock> packed;

  const NamedValue* find_input(std::string_view name) const;
  const NamedValue* find_output(std::string_view name) const;
};

// The program of a graph in a precision, shared while somebody holds it. Error(invalid_argument)
// for a graph without outputs.
std::shared_ptr<const Program> program_of(const Graph& graph, Precision precision);

}  // namespace headway
