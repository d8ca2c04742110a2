// Adds a layer with one output to a graph.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "engine/layers/layer.hpp"

namespace headway {

// Makes the layer, whose constructor may throw, and adds it; a message about either names the
// layer.
template <typename LayerType, typename... Arguments>
Value add_layer(Graph& graph, const std::string& name, std::initializer_list<Value> inputs,
                Arguments&&... arguments) {
  std::shared_ptr<const Layer> layer;
  try {
    layer = std::make_shared<const LayerType>(std::forward<Arguments>(arguments)...);
  } catch (const Error& error) {
    fail(error.code(), name.empty() ? "a layer" : cat("layer '", name, "'"), ": ", error.what());
  }
  return graph.add(name, std::move(layer), std::span(inputs.begin(), inputs.size()))[0];
}

}  // namespace headway
