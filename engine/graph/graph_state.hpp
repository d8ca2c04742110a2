// What a Graph holds.
#pragma once

#include <array>
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

  // The programs last made of this graph, by precision, for engines compiled while another one
  // lives.
  mutable std::mutex programs_mutex;
  mutable std::array<std::weak_ptr<const Program>, 3> programs;

  // The graph has changed: its programs are those of another graph now.
  void forget_programs() { programs = {}; }
};

}  // namespace headway
