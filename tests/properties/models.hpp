// Graphs whose bits the property tests compare: MultiHead alone, a small BERT, and what newer
// encoders have instead.
#pragma once

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "headway/engine.hpp"
#include "headway/layers.hpp"
#include "tests/support/random.hpp"

namespace headway {

// One sequence's input: rows of numbers, or ids.
struct Sequence {
  int64_t length = 0, key_length = 0;
  std::vector<float> x;
  std::vector<int32_t> ids;
};

// What a run made of one sequence; empty where it was not asked for.
struct Result {
  std::vector<float> hidden, weights, vector;
};

// Which outputs a run asks for.
struct Wanted {
  bool hidden = true, weights = true, vector = true;
};

// A graph with the input "x" [tokens, dim] or "ids", and the outputs "hidden" [tokens, dim],
// "weights" [pairs, heads] and "vector" [sequences, dim]. Holds the numbers behind its weights.
class Model {
 public:
  virtual ~Model() = default;

  Graph graph;
  int64_t dim, heads;
  bool by_id;
  bool hides_keys = false;  // a third of each sequence is hidden from attention
  Precision precision = Precision::f32;

  Engine engine(int threads, size_t memory = 0) const {
    return compile(graph, {.threads = threads, .memory = memory}, {.precision = precision});
  }
  Sequence sequence(Random& random, int64_t length) const {
    const int64_t keys = hides_keys ? length - length / 3 : length;
    if (by_id) return {length, keys, {}, random.ids(length, kVocabulary)};
    return {length, keys, random.normals(length * dim), {}};
  }

  static constexpr int64_t kVocabulary = 100, kPositions = 400;

 protected:
  Model(int64_t dim, int64_t heads, bool by_id) : dim(dim), heads(heads), by_id(by_id) {}
};

class MultiHeadModel : public Model {
 public:
  MultiHeadModel(int64_t dim, int64_t heads,
                 AttentionStrategy strategy = AttentionStrategy::automatic)
      : Model(dim, heads, false), qkv_(random_, dim, 3 * dim), out_(random_, dim, dim) {
    const MultiHeadValues values =
        multi_head(graph, graph.input("x", DType::f32, dim), {{qkv_.weights()}, out_.weights()},
                   {.heads = heads, .strategy = strategy});
    graph.output("hidden", values.output);
    graph.output("weights", values.weights);
    graph.output("vector", pool(graph, values.output, Pooling::mean));
  }

 private:
  Random random_{1};
  LinearNumbers qkv_, out_;
};

// Embeddings, one encoder layer, mean pooling and normalization, as sentence embedders have them.
class BertModel : public Model {
 public:
  BertModel() : Model(96, 6, true) {
    const Value ids = graph.input("ids", DType::i32, 1);
    const Value words = embedding(graph, ids, TensorView(words_.data(), {kVocabulary, dim}));
    const Value places =
        position_embedding(graph, ids, TensorView(places_.data(), {kPositions, dim}));
    const Value x = norm(add(graph, words, places));
    const MultiHeadValues attended =
        multi_head(graph, x, {{qkv_.weights()}, out_.weights()}, {.heads = heads});
    const Value y = norm(add(graph, attended.output, x));
    const Value inner = activation(graph, linear(graph, y, up_.weights()), Activation::gelu_erf);
    const Value hidden = norm(add(graph, linear(graph, inner, down_.weights()), y));
    graph.output("hidden", hidden);
    graph.output("weights", attended.weights);
    graph.output("vector", l2_normalize(graph, pool(graph, hidden, Pooling::mean)));
  }

 private:
  Value norm(Value x) {
    return layer_norm(graph, x, TensorView(gamma_.data(), {dim}), TensorView(beta_.data(), {dim}),
                      1e-12f);
  }

  // 288 inner values make two panels of a Linear.
  Random random_{2};
  std::vector<float> words_ = random_.normals(kVocabulary * 96);
  std::vector<float> places_ = random_.normals(kPositions * 96);
  std::vector<float> gamma_ = random_.uniforms(96, 0.5f, 1.5f);
  std::vector<float> beta_ = random_.uniforms(96, -1, 1);
  LinearNumbers qkv_{random_, 96, 288}, out_{random_, 96, 96};
  LinearNumbers up_{random_, 96, 288}, down_{random_, 288, 96};
};

// Positions that are counted, a layer norm before each step, rotary positions, a window, and a
// gated feed-forward network.
class GatedModel : public Model {
 public:
  GatedModel() : Model(96, 6, true) {
    const Value ids = graph.input("ids", DType::i32, 1);
    const Value words = embedding(graph, ids, TensorView(words_.data(), {kVocabulary, dim}));
    const Value x =
        add(graph, words,
            position_embedding(graph, ids, {TensorView(places_.data(), {kPositions, dim})}, 3));
    const Rotary rotary{.table = rotary_table(graph, ids, {.dims = 16})};
    const MultiHeadValues attended =
        multi_head(graph, norm(x), {{qkv_.weights()}, out_.weights()},
                   {.heads = heads, .left_window = 20, .right_window = 20, .rotary = rotary});
    const Value y = add(graph, attended.output, x);
    const Value inner = gate(graph, linear(graph, norm(y), up_.weights()), Activation::silu);
    const Value hidden = norm(add(graph, linear(graph, inner, down_.weights()), y));
    graph.output("hidden", hidden);
    graph.output("weights", attended.weights);
    graph.output("vector", pool(graph, hidden, Pooling::mean));
  }

 private:
  Value norm(Value x) { return layer_norm(graph, x, TensorView(gamma_.data(), {dim}), {}, 1e-5f); }

  // A gate of 150 values: neither whole vectors nor whole panels.
  Random random_{3};
  std::vector<float> words_ = random_.normals(kVocabulary * 96);
  std::vector<float> places_ = random_.normals(kPositions * 96);
  std::vector<float> gamma_ = random_.uniforms(96, 0.5f, 1.5f);
  LinearNumbers qkv_{random_, 96, 288, false}, out_{random_, 96, 96, false};
  LinearNumbers up_{random_, 96, 300, false}, down_{random_, 150, 96, false};
};

// A batch in memory, ready to run; run() itself allocates nothing of its own.
class BoundBatch {
 public:
  BoundBatch(const Model& model, const std::vector<Sequence>& sequences, const Wanted& wanted) {
    std::vector<int64_t> lengths, key_lengths;
    for (const Sequence& sequence : sequences) {
      lengths.push_back(sequence.length);
      key_lengths.push_back(sequence.key_length);
      x_.insert(x_.end(), sequence.x.begin(), sequence.x.end());
      ids_.insert(ids_.end(), sequence.ids.begin(), sequence.ids.end());
    }
    batch_ = Batch::ragged(lengths, key_lengths);
    if (model.by_id) {
      inputs_.push_back({"ids", batch_, {ids_.data(), {batch_.rows()}}});
    } else {
      inputs_.push_back({"x", batch_, {x_.data(), {batch_.rows(), model.dim}}});
    }
    int64_t pairs = 0;
    for (const int64_t length : lengths) pairs += length * length;
    if (wanted.hidden) bind("hidden", hidden_, batch_.rows() * model.dim);
    if (wanted.weights) bind("weights", weights_, pairs * model.heads);
    if (wanted.vector) bind("vector", vector_, batch_.sequences() * model.dim);
  }
  BoundBatch(const BoundBatch&) = delete;
  BoundBatch& operator=(const BoundBatch&) = delete;

  void run(const Engine& engine, const RunOptions& options = {}) {
    engine.run(inputs_, outputs_, options);
  }

  // The outputs, cut into sequences.
  std::vector<Result> results(const Model& model) const {
    std::vector<Result> all;
    size_t pairs = 0;
    for (int64_t i = 0; i < batch_.sequences(); ++i) {
      const auto length = static_cast<size_t>(batch_.length(i));
      const auto dim = static_cast<size_t>(model.dim), heads = static_cast<size_t>(model.heads);
      const auto row = static_cast<size_t>(batch_.offsets()[static_cast<size_t>(i)]);
      all.push_back({cut(hidden_, row * dim, length * dim),
                     cut(weights_, pairs, length * length * heads),
                     cut(vector_, static_cast<size_t>(i) * dim, dim)});
      pairs += length * length * heads;
    }
    return all;
  }

 private:
  void bind(const char* name, std::vector<float>& values, int64_t elements) {
    values.assign(static_cast<size_t>(elements), -1);
    outputs_.push_back({name, {values.data(), {elements}}});
  }
  static std::vector<float> cut(const std::vector<float>& values, size_t begin, size_t count) {
    if (values.empty()) return {};
    return {values.begin() + static_cast<std::ptrdiff_t>(begin),
            values.begin() + static_cast<std::ptrdiff_t>(begin + count)};
  }

  std::vector<float> x_;
  std::vector<int32_t> ids_;
  Batch batch_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<float> hidden_, weights_, vector_;
};

}  // namespace headway
