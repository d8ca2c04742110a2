// Turns queries and keys by their positions.
#pragma once

#include "headway/layers.hpp"

namespace headway {

// The rows of x, whose first `heads` * `size` numbers are heads, with those turned by the table.
Value rotate(Graph& graph, Value x, const Rotary& rotary, int64_t heads, int64_t size,
             const std::string& name);

}  // namespace headway
