// The caller's memory behind a program's inputs and outputs, for one run.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "engine/graph/program.hpp"
#include "headway/engine.hpp"

namespace headway {

// Error unless every input is bound once, with the type and as many elements as it must have,
// inputs of a stream agree about its sequences, outputs exist and fit, and no limit is exceeded.
// Nothing has been written when it throws.
void check_bindings(const Program& program, const Limits& limits, std::span<const Input> inputs,
                    std::span<const Output> outputs);

// The batch of each token stream, as the inputs give it; null where no input does.
std::array<const Batch*, Program::kMaxStreams> streams_of(const Program& program,
                                                          std::span<const Input> inputs);

// What is bound and what follows from it. Kept by a slab from run to run, so that binding allocates
// nothing.
class Bindings {
 public:
  explicit Bindings(const Program& program);

  // Takes over what check_bindings() has found right.
  void bind(const Program& program, std::span<const Input> inputs, std::span<const Output> outputs);
  // Nothing but lengths, `batch` in every stream, with all declared outputs in the slab: for plans
  // without a run.
  void bind_lengths(const Program& program, const Batch& batch);

  std::span<const Batch* const> streams() const { return {streams_.data(), stream_count_}; }
  int64_t sequences() const { return stream_count_ == 0 ? 0 : streams_[0]->sequences(); }
  // A group of consecutive sequences.
  Group group(int64_t first, int64_t last) const { return Group(streams(), first, last); }

  // Where the value's rows of a group lie in the caller's memory, or null when the value is not
  // bound.
  std::byte* memory(const Program& program, int32_t value, const Group& group) const;
  // Whether somebody reads the value or it is bound, and whether a step makes such a value.
  bool wanted(int32_t value) const { return wanted_value_[value]; }
  bool wanted_step(size_t step) const { return wanted_step_[step]; }

  // What the layer is told about a step of a group.
  StepShape shape(const Step& step, const Group& group) const {
    return {
        group, step.input_types, {&wanted_value_[step.node.outputs[0]], step.node.outputs.size()}};
  }

  // Outputs whose value is bound elsewhere too, or is an input: copied once the group has run.
  struct Copy {
    int32_t value;
    std::byte* to;
  };
  std::span<const Copy> copies() const { return copies_; }

 private:
  void want(const Program& program);

  std::array<const Batch*, Program::kMaxStreams> streams_{};
  size_t stream_count_ = 0;
  std::vector<std::byte*> memory_;  // by value, of the whole batch
  std::vector<Copy> copies_;
  std::unique_ptr<bool[]> wanted_value_;
  std::unique_ptr<bool[]> wanted_step_;
};

}  // namespace headway
