// A graph of layers: what is computed, before anything is decided about how.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "headway/export.h"
#include "headway/tensor.hpp"

namespace headway {

class Layer;

// The rows a value has at run time. A token stream is the packed tokens of one or more inputs that
// share their lengths; every stream of a run has the same number of sequences.
struct RowSpace {
  enum class Kind : uint8_t {
    tokens,     // one row a token of `stream`
    sequences,  // one row a sequence
    pairs,      // per sequence, one row a (token of `stream`, token of `other`) pair; see attention
                // weights
  };
  Kind kind = Kind::tokens;
  int32_t stream = 0;
  int32_t other = 0;

  friend bool operator==(const RowSpace&, const RowSpace&) = default;
};

// What is known of a value when the graph is built: [rows of its space, width] elements.
struct HEADWAY_API ValueType {
  DType dtype = DType::f32;
  RowSpace rows;
  int64_t width = 0;

  // "f32 [tokens of stream 0, 384]"
  std::string to_string() const;
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

// A handle for a value of one Graph; meaningless in another.
struct Value {
  int32_t id = -1;
  friend bool operator==(const Value&, const Value&) = default;
};

// Layers in the order they are added, with named inputs and outputs. Built by one thread; the
// functions of layers.hpp add to it and check every shape as they do. Movable; a compiled Engine
// keeps what it needs of it.
class HEADWAY_API Graph {
 public:
  Graph();
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  // An input [tokens, width] with a token stream of its own. dtype is f32 or i32.
  // Error(invalid_argument) for an empty or repeated name, a width below 1, another type.
  Value input(const std::string& name, DType dtype, int64_t width);
  // An input whose tokens are those of `like` (token types beside token ids).
  Value input(const std::string& name, DType dtype, int64_t width, Value like);

  // An input with a row for each pair of a token of `queries` and one of `keys`: for each sequence
  // [width, its tokens of `queries`, its tokens of `keys`], f32. It is bound with the batch of
  // `queries`.
  Value input_pairs(const std::string& name, int64_t width, Value queries, Value keys);

  // Names a value as an output. Any value can be one, an input too, under several names. Error as
  // above.
  void output(const std::string& name, Value value);

  // Error(invalid_argument) when the handle is not of this graph.
  const ValueType& type(Value value) const;

  // Adds a layer: for the functions of layers.hpp and for layers of your own. Returns its outputs.
  // `name` is for messages; an empty one becomes the kind and the number of the layer.
  // Error(invalid_argument) naming the layer, what was expected and what came.
  std::vector<Value> add(const std::string& name, std::shared_ptr<const Layer> layer,
                         std::span<const Value> inputs);

  struct State;
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace headway
