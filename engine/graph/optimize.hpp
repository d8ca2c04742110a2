// Rewrites the layers of a graph into fewer.
#pragma once

#include <vector>

#include "engine/graph/graph_state.hpp"

namespace headway {

// The nodes an output depends on, in order, those fused that can be. Fusing changes no bit of a
// result: a fused layer does the same operations in the same order.
std::vector<Node> optimize(const Graph::State& graph);

}  // namespace headway
