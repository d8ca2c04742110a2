// The clocks, and what is counted.
#include "bench/limits/timed_model.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>

#include "bench/support/minilm.hpp"
#include "engine/embed/token_window.hpp"
#include "engine/graph/bindings.hpp"
#include "engine/graph/program.hpp"
#include "engine/models/model.hpp"
#include "engine/ops/precision.hpp"
#include "headway/layers.hpp"
#include "headway/tokenizer.hpp"
#include "tests/support/random.hpp"

namespace headway {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMostTokens = 256;  // of a text: the model's limit
constexpr int32_t kVocabulary = 30522;

// The type of the products, which a Linear's bytes of weights tell. Attention has none in int8.
Precision precision_of(const Layer& layer, Precision asked) {
  if (layer.kind() == "Attention" && asked != Precision::f32 && is_fast(Precision::bf16))
    return Precision::bf16;
  if (layer.kind() != "Linear") return Precision::f32;
  const double bytes =
      static_cast<double>(layer.packed_bytes()) / static_cast<double>(layer.parameters());
  return bytes < 1.5 ? Precision::int8 : bytes < 3 ? Precision::bf16 : Precision::f32;
}

// What people call a layer of an encoder, with what is fused into it.
std::string kind_of(const Step& step, const std::vector<ValueType>& types) {
  const std::string_view kind = step.node.layer->kind();
  if (kind == "Embedding") return "embeddings";
  if (kind == "Attention") return "attention";
  if (kind == "Pool") return "pooling";
  if (kind != "Linear") return std::string(kind);
  const int64_t in = step.input_types[0].width, out = types[step.node.outputs[0]].width;
  return out == 3 * in ? "qkv" : out == in ? "out_residual" : out > in ? "ffn_up" : "ffn_down";
}

double bytes_of(const ValueType& type, const Group& group) {
  return static_cast<double>(group.rows(type.rows) * type.width) *
         static_cast<double>(size_of(type.dtype));
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

// Does what `layer` does and keeps the time.
class TimedLayer : public Layer {
 public:
  explicit TimedLayer(std::shared_ptr<const Layer> layer) : layer_(std::move(layer)) {}

  std::string_view kind() const override { return layer_->kind(); }
  std::vector<ValueType> infer(std::span<const ValueType> inputs) const override {
    return layer_->infer(inputs);
  }
  int64_t parameters() const override { return layer_->parameters(); }
  size_t packed_bytes() const override { return layer_->packed_bytes(); }
  void check(const StepShape& step) const override { layer_->check(step); }
  void check_input(const StepShape& step, size_t input, const void* data) const override {
    layer_->check_input(step, input, data);
  }
  double flops(const StepShape& step) const override { return layer_->flops(step); }
  size_t group_scratch(const StepShape& step) const override { return layer_->group_scratch(step); }
  size_t thread_scratch(const StepShape& step) const override {
    return layer_->thread_scratch(step);
  }
  void run(const StepArguments& step) const override {
    const auto begin = Clock::now();
    layer_->run(step);
    time_.fetch_add((Clock::now() - begin).count(), std::memory_order_relaxed);
  }

  // Of all threads together since the last call.
  double take_seconds() const {
    const Clock::duration time(time_.exchange(0, std::memory_order_relaxed));
    return std::chrono::duration<double>(time).count();
  }

 private:
  std::shared_ptr<const Layer> layer_;
  mutable std::atomic<Clock::rep> time_{0};
};

TokenBatch mixed_batch() {
  const std::vector<std::string> texts = mixed_texts();
  const Tokenizer tokenizer = Tokenizer::open(minilm_directory());
  const EncodeOptions options{.max_length = kMostTokens};
  TokenWindow window;
  window.fill(texts.size(),
              [&](size_t text, std::vector<int32_t>& ids, std::vector<int32_t>&) {
                return tokenizer.encode_append(texts[text], options, ids);
              },
              1, {});
  return {Batch::ragged(window.lengths()), {window.ids().begin(), window.ids().end()}};
}

TokenBatch equal_batch(int64_t sequences, int64_t tokens) {
  return {Batch::dense(sequences, tokens), Random(1).ids(sequences * tokens, kVocabulary)};
}

TimedModel::TimedModel(Precision precision, int threads)
    : precision_(precision), threads_(threads) {
  LoadedModel model = load_model(minilm_directory());
  Graph& graph = model.graph;
  graph.output("embedding", l2_normalize(graph, pool(graph, model.hidden, Pooling::mean)));
  const auto program = std::make_shared<Program>(graph.state(), precision);
  for (Step& step : program->steps) {
    layers_.push_back(std::make_shared<const TimedLayer>(step.node.layer));
    step.node.layer = layers_.back();
  }
  program_ = program;
  graph.state().programs[static_cast<size_t>(precision)] = program_;
  engine_ = std::make_unique<const Engine>(
      compile(graph, {.threads = threads}, {.precision = precision}));
}

TimedModel::~TimedModel() = default;

RunTotals TimedModel::run_once(const TokenBatch& tokens) const {
  const Shape ids{tokens.batch.rows(), 1};
  const std::vector<int32_t> type_ids(tokens.ids.size());
  const int64_t width = program_->types[program_->find_output("embedding")->value].width;
  std::vector<float> vectors(static_cast<size_t>(tokens.batch.sequences() * width));
  for (const auto& layer : layers_) layer->take_seconds();
  const auto begin = Clock::now();
  engine_->run(
      {{"ids", tokens.batch, TensorView(tokens.ids.data(), ids)},
       {"type_ids", tokens.batch, TensorView(type_ids.data(), ids)}},
      {{"embedding", MutableTensorView(vectors.data(), {tokens.batch.sequences(), width})}});

  RunTotals totals;
  totals.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const std::array<const Batch*, 1> streams{&tokens.batch};
  const Group group(streams, 0, tokens.batch.sequences());
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Step& step = program_->steps[i];
    const TimedLayer& layer = *layers_[i];
    const std::string kind = kind_of(step, program_->types);
    auto place = std::find_if(totals.layers.begin(), totals.layers.end(),
                              [&](const LayerTotals& each) { return each.kind == kind; });
    if (place == totals.layers.end()) {
      totals.layers.push_back({.kind = kind, .precision = precision_of(layer, precision_)});
      place = totals.layers.end() - 1;
    }
    const double out = bytes_of(program_->types[step.node.outputs[0]], group);
    // Tables are not packed. About as much is read of them as comes out: of those of types and of
    // positions the same few rows, from cache.
    const auto packed = static_cast<double>(layer.packed_bytes());
    const double weights = kind == "embeddings" ? packed + out : packed;
    place->weights += weights;
    place->bytes += weights + out;
    for (const ValueType& input : step.input_types) place->bytes += bytes_of(input, group);
    place->flops += layer.flops({group, step.input_types, {}});
    place->seconds += layer.take_seconds() / threads_;
  }
  return totals;
}

RunTotals TimedModel::run(const TokenBatch& tokens, int runs) const {
  RunTotals result = run_once(tokens);
  std::vector<double> whole;
  std::vector<std::vector<double>> layers(result.layers.size());
  for (int i = 0; i < runs; ++i) {
    const RunTotals totals = run_once(tokens);
    whole.push_back(totals.seconds);
    for (size_t j = 0; j < layers.size(); ++j) layers[j].push_back(totals.layers[j].seconds);
  }
  result.seconds = median(whole);
  for (size_t j = 0; j < layers.size(); ++j) result.layers[j].seconds = median(layers[j]);
  return result;
}

}  // namespace headway
