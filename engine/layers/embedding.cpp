// Rows of tables: by id, and by position.
#include <algorithm>
#include <cstring>

#include "engine/base/convert.hpp"
#include "engine/kernels/gather.hpp"
#include "engine/layers/build.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/rows.hpp"
#include "headway/layers.hpp"

namespace headway {
namespace {

// A table [rows, width]: read in place when it is f32 and aligned, else packed as f32.
class Table {
 public:
  explicit Table(Weight weight) : weight_(std::move(weight)) {
    expect_weight("table", weight_, {-1, -1});
  }

  int64_t rows() const { return weight_.shape()[0]; }
  int64_t width() const { return weight_.shape()[1]; }
  int64_t elements() const { return weight_.shape().elements(); }

  size_t packed_bytes() const {
    return in_place()
               ? 0
               : checked_mul(static_cast<size_t>(elements()), sizeof(float), "bytes of a table");
  }
  void pack(std::byte* packed) const {
    if (in_place()) return;
    read_f32(weight_.view(), 0, elements(), reinterpret_cast<float*>(packed));
    weight_.done();
  }
  const float* data(const std::byte* packed) const {
    return in_place() ? static_cast<const float*>(weight_.view().data)
                      : reinterpret_cast<const float*>(packed);
  }

 private:
  bool in_place() const {
    const TensorView& view = weight_.view();
    return view.dtype == DType::f32 && reinterpret_cast<uintptr_t>(view.data) % alignof(float) == 0;
  }

  Weight weight_;
};

class EmbeddingLayer : public Layer {
 public:
  explicit EmbeddingLayer(Weight table) : table_(std::move(table)) {}

  std::string_view kind() const override { return "Embedding"; }

  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    if (inputs[0].dtype != DType::i32 || inputs[0].width != 1 ||
        inputs[0].rows.kind != RowSpace::Kind::tokens) {
      fail(ErrorCode::invalid_argument, "ids are ", inputs[0].to_string(),
           ", expected i32 [tokens, 1]");
    }
    return {{DType::f32, inputs[0].rows, table_.width()}};
  }

  int64_t parameters() const override { return table_.elements(); }
  size_t packed_bytes() const override { return table_.packed_bytes(); }
  void pack(std::byte* packed) const override { table_.pack(packed); }
  double flops(const StepShape&) const override { return 0; }

  void check_input(const StepShape& step, size_t, const void* data) const override {
    expect_in_table(static_cast<const int32_t*>(data), 0, step.rows(), step.inputs[0].rows,
                    step.group);
  }

  // Checks again: ids may be another layer's, or change under our hands.
  void run(const StepArguments& step) const override {
    const Buffer& ids = step.inputs[0];
    for_row_blocks(step.team, ids.rows, [&](int64_t row, int64_t rows) {
      const int32_t* id = ids.as<const int32_t>() + row;
      expect_in_table(id, row, rows, ids.space, step.group);
      gather_rows(table_.data(step.packed), table_.width(), id, rows,
                  step.outputs[0].as<float>() + row * table_.width());
    });
  }

 private:
  // ids[i] is that of the group's row `row` + i.
  void expect_in_table(const int32_t* ids, int64_t row, int64_t rows, const RowSpace& space,
                       const Group& group) const {
    const auto in_table = [&](int32_t id) { return id >= 0 && id < table_.rows(); };
    const int32_t* bad = std::find_if_not(ids, ids + rows, in_table);
    if (bad == ids + rows) return;
    row += bad - ids;
    int64_t sequence = 0;
    while (group.row(space.stream, sequence + 1) <= row) ++sequence;
    fail(ErrorCode::invalid_argument, "id ", *bad, " of token ",
         row - group.row(space.stream, sequence), " in sequence ", group.first() + sequence,
         " is outside the table of ", table_.rows(), " rows");
  }

  Table table_;
};

class PositionEmbeddingLayer : public Layer {
 public:
  explicit PositionEmbeddingLayer(Weight table) : table_(std::move(table)) {}

  std::string_view kind() const override { return "PositionEmbedding"; }

  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    if (inputs[0].rows.kind != RowSpace::Kind::tokens) {
      fail(ErrorCode::invalid_argument, "the rows of ", inputs[0].to_string(),
           " have no positions, expected tokens");
    }
    return {{DType::f32, inputs[0].rows, table_.width()}};
  }

  int64_t parameters() const override { return table_.elements(); }
  size_t packed_bytes() const override { return table_.packed_bytes(); }
  void pack(std::byte* packed) const override { table_.pack(packed); }
  double flops(const StepShape&) const override { return 0; }

  void check(const StepShape& step) const override {
    for (int64_t i = 0; i < step.group.sequences(); ++i) {
      const int64_t length = step.group.length(step.inputs[0].rows.stream, i);
      if (length > table_.rows()) {
        fail(ErrorCode::limit, "sequence ", step.group.first() + i, " has ", length,
             " tokens, but the table has ", table_.rows(), " positions");
      }
    }
  }

  void run(const StepArguments& step) const override {
    const int64_t width = table_.width();
    step.team.for_each(step.group.sequences(), [&](int64_t i) {
      float* to = step.outputs[0].as<float>() + step.group.row(stream(step), i) * width;
      std::memcpy(to, table_.data(step.packed),
                  step.group.length(stream(step), i) * width * sizeof(float));
    });
  }

 private:
  static int32_t stream(const StepArguments& step) { return step.inputs[0].space.stream; }

  Table table_;
};

}  // namespace

Value embedding(Graph& graph, Value ids, Weight table, const std::string& name) {
  return add_layer<EmbeddingLayer>(graph, name, {ids}, std::move(table));
}

Value position_embedding(Graph& graph, Value like, Weight table, const std::string& name) {
  return add_layer<PositionEmbeddingLayer>(graph, name, {like}, std::move(table));
}

}  // namespace headway
