// The interface of a layer: all the graph knows about one.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/checked.hpp"
#include "engine/runtime/team.hpp"
#include "headway/batch.hpp"
#include "headway/graph.hpp"
#include "headway/operations.hpp"
#include "headway/weights.hpp"

namespace headway {

// Consecutive sequences [first, last) of a run, which go through the program together. A view.
class Group {
 public:
  Group(std::span<const Batch* const> streams, int64_t first, int64_t last)
      : streams_(streams), first_(first), last_(last) {}

  int64_t sequences() const { return last_ - first_; }
  // The place of the group's sequence i in the whole batch.
  int64_t first() const { return first_; }
  // Tokens of the group's sequence i, how many of them are keys of attention, and the row of its
  // first token counted from the group's first row.
  int64_t length(int32_t stream, int64_t i) const { return streams_[stream]->length(first_ + i); }
  int64_t key_length(int32_t stream, int64_t i) const {
    return streams_[stream]->key_length(first_ + i);
  }
  int64_t row(int32_t stream, int64_t i) const {
    const auto offsets = streams_[stream]->offsets();
    return offsets[first_ + i] - offsets[first_];
  }
  // The group's sequence that its row `row` belongs to.
  int64_t sequence_of(int32_t stream, int64_t row) const {
    const auto offsets = streams_[stream]->offsets().subspan(first_, sequences() + 1);
    const auto next = std::upper_bound(offsets.begin(), offsets.end(), offsets[0] + row);
    return next - offsets.begin() - 1;
  }
  // Rows of a space in this group. Error(limit) on overflow.
  int64_t rows(const RowSpace& space) const {
    switch (space.kind) {
      case RowSpace::Kind::tokens:
        return row(space.stream, sequences());
      case RowSpace::Kind::sequences:
        return sequences();
      case RowSpace::Kind::pairs:
        break;
    }
    int64_t pairs = 0;
    for (int64_t i = 0; i < sequences(); ++i) {
      const int64_t product =
          checked_mul(length(space.stream, i), length(space.other, i), "pairs of tokens");
      pairs = checked_add(pairs, product, "pairs of tokens");
    }
    return pairs;
  }

 private:
  std::span<const Batch* const> streams_;
  int64_t first_, last_;
};

// A value's memory while a group runs: [rows, width], dense.
struct Buffer {
  std::byte* data = nullptr;  // null: nobody wants this output
  RowSpace space;
  int64_t rows = 0;
  int64_t width = 0;
  bool padded = false;  // rows up to the next multiple of kRowPadding may be read

  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

// Rows that every value in a slab is rounded up to.
inline constexpr int64_t kRowPadding = 16;

// What is known of a step when a group is planned.
struct StepShape {
  const Group& group;
  std::span<const ValueType> inputs;
  std::span<const bool> wanted;  // which outputs somebody wants; empty in check()

  // Rows of input `i` in the group.
  int64_t rows(size_t i = 0) const { return group.rows(inputs[i].rows); }
};

// What run() works with.
struct StepArguments {
  Team& team;
  const Group& group;
  std::span<const Buffer> inputs;
  std::span<const Buffer> outputs;
  std::byte* group_scratch;   // shared by the team
  std::byte* thread_scratch;  // of this thread alone
  const std::byte* packed;    // what pack() wrote
};

// Numbers that a layer packs: where they lie, of what type, and in which shape.
struct PackedSource {
  PackedSource(const Weight& weight, int64_t columns)
      : data(weight.view().data),
        dtype(weight.view().dtype),
        elements(weight ? weight.shape().elements() : 0),
        columns(columns) {}

  const void* data;
  DType dtype;
  int64_t elements, columns;

  friend auto operator<=>(const PackedSource&, const PackedSource&) = default;
};

// Immutable once made; run() is called by many threads at once. Everything a layer needs is asked
// for before it runs: output types when the graph is built, packed bytes when it is compiled,
// scratch when a group is planned.
class Layer {
 public:
  virtual ~Layer() = default;

  // "Linear", for messages.
  virtual std::string_view kind() const = 0;
  // Types of the outputs for inputs of these types. Error(invalid_argument) saying what was
  // expected and what came.
  virtual std::vector<ValueType> infer(std::span<const ValueType> inputs) const = 0;

  // A layer that does this one's work and then `next`'s, whose input number `input` is this one's
  // only output; its inputs are this one's and then next's others. Null when there is none.
  virtual std::shared_ptr<const Layer> fuse(const Layer& next, size_t input) const {
    (void)next, (void)input;
    return nullptr;
  }

  // The layer with its products computed in `precision`; null where that makes no difference.
  virtual std::shared_ptr<const Layer> at_precision(Precision precision) const {
    (void)precision;
    return nullptr;
  }

  // Elements of all weights.
  virtual int64_t parameters() const { return 0; }
  // Bytes pack() writes, once per compiled graph, to memory aligned to 64.
  virtual size_t packed_bytes() const { return 0; }
  virtual void pack(std::byte* packed) const { (void)packed; }

  // What packed bytes are made from, where layers may share them (as ALBERT's do): in a program,
  // layers of one kind whose lists are equal, and not empty, have one packed block.
  virtual std::vector<PackedSource> packed_from() const { return {}; }

  // Error(limit) when a sequence of the group is longer than the layer can take (position tables),
  // Error(io) when weights that are read in place have changed.
  virtual void check(const StepShape& step) const { (void)step; }
  // Error(invalid_argument) when the caller's data for input number `input`, the rows of all
  // sequences, hold what the layer cannot take (ids outside a table). Only for inputs that are the
  // graph's.
  virtual void check_input(const StepShape& step, size_t input, const void* data) const {
    (void)step, (void)input, (void)data;
  }
  // Floating-point operations for the group; a multiply and an add count as two.
  virtual double flops(const StepShape& step) const = 0;
  // Bytes shared by the team while the layer runs.
  virtual size_t group_scratch(const StepShape& step) const {
    (void)step;
    return 0;
  }
  // Bytes for each thread.
  virtual size_t thread_scratch(const StepShape& step) const {
    (void)step;
    return 0;
  }
  // Called by every thread of the team; work that can throw goes through team.for_each.
  virtual void run(const StepArguments& step) const = 0;
};

}  // namespace headway
