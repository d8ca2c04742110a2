// Rows of tables: by id, and by position.
#include <algorithm>
#include <array>
#include <optional>

#include "engine/base/convert.hpp"
#include "engine/kernels/add.hpp"
#include "engine/layers/add.hpp"
#include "engine/layers/build.hpp"
#include "engine/layers/checks.hpp"
#include "engine/layers/layer_norm.hpp"
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

  // For messages.
  std::string name() const { return describe("table", weight_); }
  int64_t rows() const { return weight_.shape()[0]; }
  int64_t width() const { return weight_.shape()[1]; }
  int64_t elements() const { return weight_.shape().elements(); }

  bool has(int32_t id) const { return id >= 0 && id < rows(); }

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
  // Asked before each run: one of a few 100 ns for a table in a file.
  void expect_unchanged() const {
    if (in_place()) weight_.expect_unchanged();
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

// Rows of tables, each picked by an id or by the token's place in its sequence, summed up; then,
// where they are fused, another value's row added and the sum normalized: one pass over the rows.
// Inputs: the ids of each table, or a value with the tokens of a table read by place; then the
// value that is added. Packed: the tables that are not read in place, then the LayerNorm.
//
// By count: an id `pad` is at row `pad`, others at the rows after it, counted from the sequence's
// begin.
class EmbeddingLayer : public Layer {
 public:
  enum class By : uint8_t { id, place, count };

  EmbeddingLayer(Weight table, By by, int64_t pad = 0)
      : terms_{{Table(std::move(table)), by, pad}} {
    if (pad < 0 || pad >= terms_[0].table.rows())
      fail(ErrorCode::invalid_argument, "pad is ", pad, ", expected a row of the ",
           terms_[0].table.name(), " of ", terms_[0].table.rows(), " rows");
  }

  std::string_view kind() const override {
    return any_by(By::id) ? "Embedding" : "PositionEmbedding";
  }

  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    const bool tokens = inputs[0].rows.kind == RowSpace::Kind::tokens;
    if (terms_[0].by == By::place && !tokens) {
      fail(ErrorCode::invalid_argument, "the rows of ", inputs[0].to_string(),
           " have no positions, expected tokens");
    }
    const bool ids = inputs[0].dtype == DType::i32 && inputs[0].width == 1 && tokens;
    if (terms_[0].by != By::place && !ids) {
      fail(ErrorCode::invalid_argument, "ids are ", inputs[0].to_string(),
           ", expected i32 [tokens, 1]");
    }
    return {{DType::f32, inputs[0].rows, width()}};
  }

  std::shared_ptr<const Layer> fuse(const Layer& next, size_t input) const override {
    if (norm_) return nullptr;
    auto fused = std::make_shared<EmbeddingLayer>(*this);
    if (const auto* follower = dynamic_cast<const LayerNormLayer*>(&next)) {
      fused->norm_ = *follower;
      return fused;
    }
    if (addend_) return nullptr;
    if (dynamic_cast<const AddLayer*>(&next)) {
      fused->addend_ = true;
      return fused;
    }
    // One row more: a + b and b + a have the same bits, (a + b) + c and a + (b + c) have not.
    if (const auto* follower = dynamic_cast<const EmbeddingLayer*>(&next);
        follower && follower->addend_ && follower->terms_.size() == 1 && input == 1 &&
        terms_.size() < kMostTerms) {
      fused->terms_.push_back(follower->terms_[0]);
      fused->norm_ = follower->norm_;
      return fused;
    }
    return nullptr;
  }

  int64_t parameters() const override {
    int64_t sum = norm_ ? norm_->parameters() : 0;
    for (const Term& term : terms_) sum = checked_add(sum, term.table.elements(), "parameters");
    return sum;
  }
  size_t packed_bytes() const override {
    return checked_add(table_bytes(), norm_ ? norm_->packed_bytes() : 0, "packed weights");
  }
  void pack(std::byte* packed) const override {
    for (const Term& term : terms_) {
      term.table.pack(packed);
      packed += term.table.packed_bytes();
    }
    if (norm_) norm_->pack(packed);
  }
  double flops(const StepShape& step) const override { return norm_ ? norm_->flops(step) : 0; }

  void check(const StepShape& step) const override {
    for (const Term& term : terms_) {
      term.table.expect_unchanged();
      if (term.by == By::id) continue;
      for (int64_t i = 0; i < step.group.sequences(); ++i) {
        const int64_t length = step.group.length(step.inputs[0].rows.stream, i);
        if (length <= term.positions()) continue;
        fail(ErrorCode::limit, "sequence ", step.group.first() + i, " has ", length,
             " tokens, but the ", term.table.name(), " has ", term.positions(), " positions");
      }
    }
  }

  void check_input(const StepShape& step, size_t input, const void* data) const override {
    if (input >= terms_.size() || terms_[input].by != By::id) return;
    const auto* ids = static_cast<const int32_t*>(data);
    const Table& table = terms_[input].table;
    for (int64_t row = 0; row < step.rows(); ++row) {
      if (!table.has(ids[row])) refuse(ids[row], table, step.group, step.inputs[0].rows, row);
    }
  }

  void run(const StepArguments& step) const override;

 private:
  struct Term {
    Table table;
    By by;
    int64_t pad;  // 0 but for By::count

    // Tokens of the longest sequence, where they are not picked by id.
    int64_t positions() const { return table.rows() - (by == By::count ? pad + 1 : 0); }
  };
  // BERT sums three.
  static constexpr size_t kMostTerms = 4;

  int64_t width() const { return terms_[0].table.width(); }
  bool any_by(By by) const {
    return std::any_of(terms_.begin(), terms_.end(), [by](const Term& t) { return t.by == by; });
  }
  size_t table_bytes() const {
    size_t bytes = 0;
    for (const Term& term : terms_)
      bytes = checked_add(bytes, term.table.packed_bytes(), "bytes of tables");
    return bytes;
  }
  [[noreturn]] static void refuse(int32_t id, const Table& table, const Group& group,
                                  const RowSpace& space, int64_t row) {
    const int64_t sequence = group.sequence_of(space.stream, row);
    fail(ErrorCode::invalid_argument, "id ", id, " of token ",
         row - group.row(space.stream, sequence), " in sequence ", group.first() + sequence,
         " is outside the ", table.name(), " of ", table.rows(), " rows");
  }

  // For each term by count, how many of the rows [begin, end) it counts.
  std::array<int64_t, kMostTerms> counts(const StepArguments& step, int64_t begin,
                                         int64_t end) const {
    std::array<int64_t, kMostTerms> counts{};
    for (size_t i = 0; i < terms_.size(); ++i) {
      if (terms_[i].by != By::count) continue;
      const auto* ids = step.inputs[i].as<const int32_t>();
      counts[i] = (end - begin) - std::count(ids + begin, ids + end, terms_[i].pad);
    }
    return counts;
  }

  std::vector<Term> terms_;  // in the order they are added
  bool addend_ = false;
  std::optional<LayerNormLayer> norm_;
};

void EmbeddingLayer::run(const StepArguments& step) const {
  LayerNorm norm;
  if (norm_) norm = norm_->unpacked(step.packed + table_bytes());
  const Group& group = step.group;
  const RowSpace& space = step.inputs[0].space;
  const size_t count = terms_.size() + (addend_ ? 1 : 0);
  for_row_blocks(step.team, step.outputs[0].rows, [&](int64_t first, int64_t rows) {
    int64_t sequence = group.sequence_of(space.stream, first);
    std::array<int64_t, kMostTerms> counts =
        this->counts(step, group.row(space.stream, sequence), first);
    for (int64_t row = first; row < first + rows; ++row) {
      for (; row >= group.row(space.stream, sequence + 1); ++sequence) counts.fill(0);
      std::array<const float*, kMostTerms + 1> from;
      const std::byte* packed = step.packed;
      for (size_t i = 0; i < terms_.size(); ++i) {
        const auto& [table, by, pad] = terms_[i];
        int64_t place = row - group.row(space.stream, sequence);
        if (by == By::id) {
          // Checked again: ids may be another layer's, or change under our hands.
          const int32_t id = step.inputs[i].as<const int32_t>()[row];
          if (!table.has(id)) refuse(id, table, group, space, row);
          place = id;
        } else if (by == By::count) {
          // At most the sequence's length, whatever the ids have become.
          place = pad + (step.inputs[i].as<const int32_t>()[row] == pad ? 0 : ++counts[i]);
        }
        from[i] = table.data(packed) + place * width();
        packed += table.packed_bytes();
      }
      if (addend_) from[count - 1] = step.inputs[count - 1].as<const float>() + row * width();
      float* to = step.outputs[0].as<float>() + row * width();
      headway::add(std::span(from).first(count), width(), to);
      if (norm_) headway::layer_norm(to, 1, width(), norm, to);
    }
  });
}

}  // namespace

Value embedding(Graph& graph, Value ids, Weight table, const std::string& name) {
  return add_layer<EmbeddingLayer>(graph, name, {ids}, std::move(table), EmbeddingLayer::By::id);
}

Value position_embedding(Graph& graph, Value like, Weight table, const std::string& name) {
  return add_layer<EmbeddingLayer>(graph, name, {like}, std::move(table),
                                   EmbeddingLayer::By::place);
}

Value position_embedding(Graph& graph, Value ids, Weight table, int64_t pad,
                         const std::string& name) {
  return add_layer<EmbeddingLayer>(graph, name, {ids}, std::move(table), EmbeddingLayer::By::count,
                                   pad);
}

}  // namespace headway
