// Dead layers go, neighbours fuse.
#include "engine/graph/optimize.hpp"

#include <algorithm>

#include "engine/layers/layer.hpp"

namespace headway {
namespace {

// How often each value is read, with once more for each output.
std::vector<int> count_uses(const std::vector<Node>& nodes, const Graph::State& graph) {
  std::vector<int> uses(graph.types.size(), 0);
  for (const NamedValue& output : graph.outputs) ++uses[output.value];
  for (const Node& node : nodes) {
    for (int32_t input : node.inputs) ++uses[input];
  }
  return uses;
}

std::vector<Node> live_nodes(const Graph::State& graph) {
  std::vector<char> needed(graph.types.size(), 0);
  for (const NamedValue& output : graph.outputs) needed[output.value] = 1;
  std::vector<Node> live;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (std::none_of(node->outputs.begin(), node->outputs.end(),
                     [&](int32_t value) { return needed[value]; }))
      continue;
    for (int32_t input : node->inputs) needed[input] = 1;
    live.push_back(*node);
  }
  std::reverse(live.begin(), live.end());
  return live;
}

// Fuses nodes[i] into the node that alone reads its only output. The result takes that node's
// place, where all inputs are known.
bool fuse_forward(std::vector<Node>& nodes, size_t i, const std::vector<int>& uses) {
  const Node& node = nodes[i];
  if (node.outputs.size() != 1 || uses[node.outputs[0]] != 1) return false;
  for (size_t j = i + 1; j < nodes.size(); ++j) {
    Node& next = nodes[j];
    const auto read = std::find(next.inputs.begin(), next.inputs.end(), node.outputs[0]);
    if (read == next.inputs.end()) continue;
    auto fused = node.layer->fuse(*next.layer, static_cast<size_t>(read - next.inputs.begin()));
    if (fused == nullptr) return false;
    next.inputs.erase(read);
    next.inputs.insert(next.inputs.begin(), node.inputs.begin(), node.inputs.end());
    next.layer = std::move(fused);
    next.name = node.name + " + " + next.name;
    nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;  // its only use is to be an output
}

}  // namespace

std::vector<Node> optimize(const Graph::State& graph) {
  std::vector<Node> nodes = live_nodes(graph);
  const std::vector<int> uses = count_uses(nodes, graph);
  // After a fusion the same index holds the next node.
  for (size_t i = 0; i < nodes.size();) {
    if (!fuse_forward(nodes, i, uses)) ++i;
  }
  return nodes;
}

}  // namespace headway
