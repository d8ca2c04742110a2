// Memory and steps of one group.
#include "engine/graph/slab.hpp"

#include <algorithm>
#include <cstring>

#include "engine/base/checked.hpp"
#include "engine/platform/denormals.hpp"

namespace headway {

Slab::Slab(std::shared_ptr<const Program> program, MemoryMeter& meter)
    : program_(std::move(program)),
      arena_(meter),
      sizes_(program_->lifetimes.size()),
      offsets_(program_->lifetimes.size()),
      buffers_(program_->types.size()) {
  planner_.reserve(sizes_.size());
  size_t step_buffers = 0;
  for (const Step& step : program_->steps)
    step_buffers += step.node.inputs.size() + step.node.outputs.size();
  step_buffers_.resize(step_buffers);
}

size_t Slab::plan(const Bindings& bindings, const Group& group, int threads) {
  const size_t values = program_->types.size();
  std::fill(sizes_.begin(), sizes_.end(), 0);
  thread_scratch_ = 0;
  for (size_t i = 0; i < program_->steps.size(); ++i) {
    if (!bindings.wanted_step(i)) continue;
    const Step& step = program_->steps[i];
    for (int32_t output : step.node.outputs) {
      if (!bindings.wanted(output) || bindings.memory(*program_, output, group) != nullptr)
        continue;
      const ValueType& type = program_->types[output];
      const int64_t rows = checked_round_up(group.rows(type.rows), kRowPadding, "rows of a value");
      const auto elements =
          static_cast<size_t>(checked_mul(rows, type.width, "elements of a value"));
      sizes_[output] = checked_add(checked_mul(elements, size_of(type.dtype), "bytes of a value"),
                                   kSlack, "bytes of a value");
    }
    const StepShape shape = bindings.shape(step, group);
    sizes_[values + i] = step.node.layer->group_scratch(shape);
    thread_scratch_ = std::max(thread_scratch_, step.node.layer->thread_scratch(shape));
  }
  buffer_bytes_ = checked_round_up(planner_.plan(program_->lifetimes, sizes_, offsets_),
                                   Arena::kAlignment, "working memory");
  thread_scratch_ = checked_round_up(thread_scratch_, Arena::kAlignment, "scratch");
  const size_t scratch = checked_mul(thread_scratch_, static_cast<size_t>(threads), "scratch");
  // As much as the arena will take, so that Limits::memory is kept to the byte.
  planned_ = checked_round_up(checked_add(buffer_bytes_, scratch, "working memory"), Arena::kPage,
                              "working memory");
  return planned_;
}

void Slab::prepare(const Bindings& bindings, const Group& group) {
  std::byte* base = arena_.reserve(planned_);
  for (size_t value = 0; value < buffers_.size(); ++value) {
    const ValueType& type = program_->types[value];
    Buffer& buffer = buffers_[value];
    buffer = {.space = type.rows, .rows = group.rows(type.rows), .width = type.width};
    buffer.data = bindings.memory(*program_, static_cast<int32_t>(value), group);
    if (buffer.data == nullptr && sizes_[value] > 0) {
      buffer.data = base + offsets_[value];
      buffer.padded = true;
    }
  }
  auto* next = step_buffers_.data();
  for (const Step& step : program_->steps) {
    for (int32_t input : step.node.inputs) *next++ = buffers_[input];
    for (int32_t output : step.node.outputs) *next++ = buffers_[output];
  }
}

void Slab::run(Team& team, const Bindings& bindings, const Group& group,
               const std::stop_token& stop) {
  const FlushDenormals flush_denormals;
  team.heed(stop);
  const size_t values = program_->types.size();
  std::byte* base = arena_.reserve(planned_);  // prepared: this only asks where it is
  const Buffer* next = step_buffers_.data();
  for (size_t i = 0; i < program_->steps.size(); ++i) {
    const Step& step = program_->steps[i];
    const std::span inputs(next, step.node.inputs.size());
    const std::span outputs(inputs.data() + inputs.size(), step.node.outputs.size());
    next = outputs.data() + outputs.size();
    if (!bindings.wanted_step(i)) continue;
    if (team.rank() == 0) {
      for (int32_t output : step.node.outputs) {
        if (sizes_[output] > 0)
          std::memset(base + offsets_[output] + sizes_[output] - kSlack, 0, kSlack);
      }
    }
    step.node.layer->run({team, group, inputs, outputs, base + offsets_[values + i],
                          base + buffer_bytes_ + thread_scratch_ * static_cast<size_t>(team.rank()),
                          program_->packed->data() + step.packed_offset});
  }
  team.for_each(static_cast<int64_t>(bindings.copies().size()), [&](int64_t i) {
    const Bindings::Copy& copy = bindings.copies()[static_cast<size_t>(i)];
    const Buffer& from = buffers_[copy.value];
    const size_t row = static_cast<size_t>(from.width) * size_of(program_->types[copy.value].dtype);
    const std::byte* begin =
        bindings.memory(*program_, copy.value, Group(bindings.streams(), 0, 0));
    std::memcpy(copy.to + (from.data - begin), from.data, row * static_cast<size_t>(from.rows));
  });
}

}  // namespace headway
