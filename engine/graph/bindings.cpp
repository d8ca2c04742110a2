// Checks and keeps what the caller binds.
#include "engine/graph/bindings.hpp"

#include <algorithm>

#include "engine/base/checked.hpp"

namespace headway {
namespace {

// Bytes from the caller's memory to the group's first row of a value.
size_t offset_of(const ValueType& type, const Group& group, std::span<const Batch* const> streams) {
  int64_t row = group.first();
  if (type.rows.kind != RowSpace::Kind::sequences)
    row = Group(streams, 0, group.first()).rows(type.rows);
  return static_cast<size_t>(row) * static_cast<size_t>(type.width) * size_of(type.dtype);
}

std::string names(const std::vector<NamedValue>& values) {
  std::string text;
  for (const NamedValue& value : values) text += (text.empty() ? "'" : ", '") + value.name + "'";
  return text.empty() ? "none" : text;
}

// Error unless all[i] has the name of a value, `named`, and no one before it has.
template <typename Bound>
void check_name(const char* what, std::span<const Bound> all, size_t i, const NamedValue* named,
                const std::vector<NamedValue>& known) {
  if (named == nullptr) {
    fail(ErrorCode::invalid_argument, "there is no ", what, " '", all[i].name, "'; ", what,
         "s are ", names(known));
  }
  for (size_t j = 0; j < i; ++j) {
    if (all[j].name == all[i].name)
      fail(ErrorCode::invalid_argument, what, " '", all[i].name, "' is bound twice");
  }
}

template <typename Bound>
void check_data(const char* what, const Bound& bound, const ValueType& type, int64_t rows) {
  const auto& [data, dtype, shape] = bound.data;
  if (dtype != type.dtype) {
    fail(ErrorCode::invalid_argument, what, " '", bound.name, "' has the type ", to_string(dtype),
         ", expected ", to_string(type.dtype));
  }
  const int64_t elements = checked_mul(rows, type.width, "elements");
  const bool row_shaped = shape.rank() > 0 && shape[shape.rank() - 1] == type.width;
  // Attention weights of a dense batch come as [B, H, Tq, Tk], of a ragged one in a row.
  const bool any_shape = type.rows.kind == RowSpace::Kind::pairs || shape.rank() == 1;
  if (shape.elements() != elements || !(row_shaped || any_shape)) {
    fail(ErrorCode::invalid_argument, what, " '", bound.name, "' has the shape ", shape.to_string(),
         ", expected ", rows, " rows of ", type.width, " (", elements, " elements)");
  }
  if (data == nullptr && elements > 0)
    fail(ErrorCode::invalid_argument, what, " '", bound.name, "' has no data");
  if (reinterpret_cast<uintptr_t>(data) % size_of(type.dtype) != 0) {
    fail(ErrorCode::invalid_argument, what, " '", bound.name,
         "' is not aligned to its elements of ", size_of(type.dtype), " bytes");
  }
}

void check_lengths(const Limits& limits, const Input& input) {
  if (limits.tokens == 0 || input.batch.longest() <= limits.tokens) return;
  fail(ErrorCode::limit, "input '", input.name, "' has a sequence of ", input.batch.longest(),
       " tokens, allowed are ", limits.tokens);
}

// What the step's layer has to say about the sequences, and about values that the caller gives.
void check_step(const Program& program, const Step& step, const Group& all,
                std::span<const Input> inputs) {
  const StepShape shape{all, step.input_types, {}};
  step.node.layer->check(shape);
  for (size_t i = 0; i < step.node.inputs.size(); ++i) {
    for (const Input& input : inputs) {
      if (program.find_input(input.name)->value == step.node.inputs[i])
        step.node.layer->check_input(shape, i, input.data.data);
    }
  }
}

}  // namespace

std::array<const Batch*, Program::kMaxStreams> streams_of(const Program& program,
                                                          std::span<const Input> inputs) {
  std::array<const Batch*, Program::kMaxStreams> streams{};
  for (const Input& input : inputs) {
    const NamedValue* named = program.find_input(input.name);
    if (named != nullptr) streams[program.types[named->value].rows.stream] = &input.batch;
  }
  return streams;
}

void check_bindings(const Program& program, const Limits& limits, std::span<const Input> inputs,
                    std::span<const Output> outputs) {
  const auto streams = streams_of(program, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Input& input = inputs[i];
    const NamedValue* named = program.find_input(input.name);
    check_name("input", inputs, i, named, program.inputs);
    const ValueType& type = program.types[named->value];
    if (input.batch != *streams[type.rows.stream]) {
      fail(ErrorCode::invalid_argument, "input '", input.name,
           "' has other sequence lengths than another input of its token stream");
    }
    if (input.batch.sequences() != inputs[0].batch.sequences()) {
      fail(ErrorCode::invalid_argument, "input '", input.name, "' has ", input.batch.sequences(),
           " sequences, expected ", inputs[0].batch.sequences(), " as input '", inputs[0].name,
           "'");
    }
    check_lengths(limits, input);
  }
  for (const NamedValue& named : program.inputs) {
    const bool bound = std::any_of(inputs.begin(), inputs.end(),
                                   [&](const Input& input) { return input.name == named.name; });
    if (!bound) fail(ErrorCode::invalid_argument, "input '", named.name, "' is not bound");
  }

  const Group all(std::span(streams.data(), static_cast<size_t>(program.streams)), 0,
                  inputs[0].batch.sequences());
  for (const Input& input : inputs) {
    const ValueType& type = program.types[program.find_input(input.name)->value];
    check_data("input", input, type, all.rows(type.rows));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const NamedValue* named = program.find_output(outputs[i].name);
    check_name("output", outputs, i, named, program.outputs);
    const ValueType& type = program.types[named->value];
    check_data("output", outputs[i], type, all.rows(type.rows));
  }
  for (const Step& step : program.steps) {
    try {
      check_step(program, step, all, inputs);
    } catch (const Error& error) {
      fail(error.code(), "layer '", step.node.name, "' (", step.node.layer->kind(),
           "): ", error.what());
    }
  }
}

Bindings::Bindings(const Program& program)
    : memory_(program.types.size()),
      wanted_value_(std::make_unique<bool[]>(program.types.size())),
      wanted_step_(std::make_unique<bool[]>(program.steps.size())) {
  copies_.reserve(program.outputs.size());
}

void Bindings::bind(const Program& program, std::span<const Input> inputs,
                    std::span<const Output> outputs) {
  streams_ = streams_of(program, inputs);
  stream_count_ = static_cast<size_t>(program.streams);
  std::fill(memory_.begin(), memory_.end(), nullptr);
  copies_.clear();
  std::fill_n(wanted_value_.get(), program.types.size(), false);
  for (const Input& input : inputs) {
    memory_[program.find_input(input.name)->value] =
        static_cast<std::byte*>(const_cast<void*>(input.data.data));
  }
  for (const Output& output : outputs) {
    const int32_t value = program.find_output(output.name)->value;
    auto* data = static_cast<std::byte*>(output.data.data);
    wanted_value_[value] = true;
    if (memory_[value] == nullptr) {
      memory_[value] = data;
    } else {
      copies_.push_back({value, data});
    }
  }
  want(program);
}

void Bindings::bind_lengths(const Program& program, const Batch& batch) {
  streams_.fill(&batch);
  stream_count_ = static_cast<size_t>(program.streams);
  std::fill(memory_.begin(), memory_.end(), nullptr);
  copies_.clear();
  std::fill_n(wanted_value_.get(), program.types.size(), false);
  for (const NamedValue& output : program.outputs) wanted_value_[output.value] = true;
  want(program);
}

void Bindings::want(const Program& program) {
  for (size_t i = program.steps.size(); i-- > 0;) {
    const Node& node = program.steps[i].node;
    wanted_step_[i] = std::any_of(node.outputs.begin(), node.outputs.end(),
                                  [&](int32_t output) { return wanted_value_[output]; });
    if (!wanted_step_[i]) continue;
    for (int32_t input : node.inputs) wanted_value_[input] = true;
  }
}

std::byte* Bindings::memory(const Program& program, int32_t value, const Group& group) const {
  if (memory_[value] == nullptr) return nullptr;
  return memory_[value] + offset_of(program.types[value], group, streams());
}

}  // namespace headway
