// What a Graph holds.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "headway/graph.hpp"

namespace headway {

struct Program;

// A layer with its place in the graph. Inputs and outputs are numbers of values.
struct Node {
  std::string name;
  std::shared_ptr<const Layer> layer;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
};

struct NamedValue {
  std::string name;
  int32_t value;
};

struct Graph::State {
  std::vector<ValueType> types;  // by value
  std::vector<Node> nodes;       // in an order in which they can run
  std::vector<NamedValue> inputs;
  std::vector<NamedValue> outputs;
  int32_t streams = 0;

  // The program last made of this graph, for engines compiled while another one lives; emptied when
  // the graph changes.
  mutable std::mutex program_mutex;
  mutable std::weak_ptr<const Program> program;
};

}  // namespace headway
