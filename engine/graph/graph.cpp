// Builds a graph and checks it while it grows.
#include "headway/graph.hpp"

#include <algorithm>

#include "engine/base/message.hpp"
#include "engine/graph/graph_state.hpp"
#include "engine/graph/program.hpp"
#include "engine/layers/layer.hpp"

namespace headway {
namespace {

void expect_new_name(const char* what, const std::string& name,
                     const std::vector<NamedValue>& existing) {
  if (name.empty()) fail(ErrorCode::invalid_argument, "an ", what, " needs a name");
  for (const NamedValue& other : existing) {
    if (other.name == name)
      fail(ErrorCode::invalid_argument, "there is already an ", what, " named '", name, "'");
  }
}

Value add_input(Graph::State& state, const std::string& name, DType dtype, int64_t width,
                RowSpace rows) {
  expect_new_name("input", name, state.inputs);
  if (dtype != DType::f32 && dtype != DType::i32) {
    fail(ErrorCode::invalid_argument, "input '", name, "' has the type ", to_string(dtype),
         ", expected f32 or i32");
  }
  if (width < 1)
    fail(ErrorCode::invalid_argument, "input '", name, "' has the width ", width,
         ", expected at least 1");
  const auto id = static_cast<int32_t>(state.types.size());
  state.types.push_back({dtype, rows, width});
  state.inputs.push_back({name, id});
  state.forget_programs();
  return {id};
}

// The rows of a value that an input is to be like.
RowSpace token_rows(const std::string& name, const ValueType& like) {
  if (like.rows.kind != RowSpace::Kind::tokens) {
    fail(ErrorCode::invalid_argument, "input '", name, "' is to have the rows of ",
         like.to_string(), ", expected rows of tokens");
  }
  return like.rows;
}

}  // namespace

std::string ValueType::to_string() const {
  std::string text = cat(headway::to_string(dtype), " [");
  switch (rows.kind) {
    case RowSpace::Kind::tokens:
      text += cat("tokens of stream ", rows.stream);
      break;
    case RowSpace::Kind::sequences:
      text += "sequences";
      break;
    case RowSpace::Kind::pairs:
      text += cat("pairs of tokens of streams ", rows.stream, " and ", rows.other);
      break;
  }
  return text + cat(", ", width, "]");
}

Graph::Graph() : state_(std::make_unique<State>()) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

Value Graph::input(const std::string& name, DType dtype, int64_t width) {
  if (state_->streams == Program::kMaxStreams) {
    fail(ErrorCode::invalid_argument, "input '", name, "': a graph has at most ",
         Program::kMaxStreams, " token streams");
  }
  const Value value = add_input(*state_, name, dtype, width, {.stream = state_->streams});
  ++state_->streams;
  return value;
}

Value Graph::input(const std::string& name, DType dtype, int64_t width, Value like) {
  return add_input(*state_, name, dtype, width, token_rows(name, type(like)));
}

Value Graph::input_pairs(const std::string& name, int64_t width, Value queries, Value keys) {
  const RowSpace of_queries = token_rows(name, type(queries)),
                 of_keys = token_rows(name, type(keys));
  return add_input(*state_, name, DType::f32, width,
                   {RowSpace::Kind::pairs, of_queries.stream, of_keys.stream});
}

void Graph::output(const std::string& name, Value value) {
  type(value);
  expect_new_name("output", name, state_->outputs);
  state_->outputs.push_back({name, value.id});
  state_->forget_programs();
}

const ValueType& Graph::type(Value value) const {
  if (value.id < 0 || static_cast<size_t>(value.id) >= state_->types.size()) {
    fail(ErrorCode::invalid_argument, "value ", value.id, " is not of this graph, which has ",
         state_->types.size());
  }
  return state_->types[value.id];
}

std::vector<Value> Graph::add(const std::string& name, std::shared_ptr<const Layer> layer,
                              std::span<const Value> inputs) {
  Node node{name, std::move(layer), {}, {}};
  if (node.name.empty()) node.name = cat(node.layer->kind(), " ", state_->nodes.size());
  std::vector<ValueType> types;
  std::vector<ValueType> results;
  try {
    for (const Value& input : inputs) {
      types.push_back(type(input));
      node.inputs.push_back(input.id);
    }
    results = node.layer->infer(types);
  } catch (const Error& error) {
    fail(error.code(), "layer '", node.name, "' (", node.layer->kind(), "): ", error.what());
  }
  std::vector<Value> outputs;
  for (const ValueType& result : results) {
    outputs.push_back({static_cast<int32_t>(state_->types.size())});
    node.outputs.push_back(outputs.back().id);
    state_->types.push_back(result);
  }
  state_->nodes.push_back(std::move(node));
  state_->forget_programs();
  return outputs;
}

}  // namespace headway
