// A Linear that other layers are made of, with a floor to its precision.
#pragma once

#include <string>
#include <vector>

#include "headway/layers.hpp"

namespace headway {

// As the public linear(), but computed in no precision below `lowest`, whatever the engine is
// compiled for.
Value linear(Graph& graph, Value x, std::vector<LinearWeights> parts, Precision lowest,
             const std::string& name);

}  // namespace headway
