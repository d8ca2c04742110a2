// Opens a model directory, and takes texts through tokenizer and engine.
#include "headway/embedder.hpp"

#include "engine/base/checked.hpp"
#include "engine/embed/text_model.hpp"
#include "engine/embed/token_window.hpp"

namespace headway {

struct Embedder::State {
  Tokenizer tokenizer;
  Engine engine;
  ModelInfo info;
  int threads;  // the engine's limit
};

EmbedStats& EmbedStats::operator+=(const EmbedStats& other) {
  texts += other.texts;
  tokens += other.tokens;
  truncated += other.truncated;
  return *this;
}

Embedder Embedder::open(const std::filesystem::path& directory, const EmbedderOptions& options) {
  TextModel text_model = open_text_model(directory, options);
  const Pipeline& pipeline = text_model.pipeline;
  LoadedModel& model = text_model.model;
  const Pooling pooling =
      pipeline.pooling ? read_pooling(*pipeline.pooling, model.dim) : Pooling::mean;

  Value vector = pool(model.graph, model.hidden, pooling, "pooling");
  if (pipeline.normalize) vector = l2_normalize(model.graph, vector, "normalize");
  model.graph.output("embedding", vector);
  Engine engine = compile(text_model, options);

  ModelInfo info;
  info.architecture = model.architecture;
  info.parameters = model.parameters;
  info.layers = model.layers;
  info.dim = model.dim;
  info.heads = model.heads;
  info.vocabulary = model.vocabulary;
  info.max_length = text_model.limit.tokens;
  info.max_length_from = text_model.limit.from;
  info.pooling = pooling == Pooling::mean ? "mean" : "cls";
  info.normalize = pipeline.normalize;
  const int threads = engine.info().threads;
  return Embedder(std::make_shared<const State>(
      State{std::move(text_model.tokenizer), std::move(engine), std::move(info), threads}));
}

EmbedStats Embedder::embed(std::span<const std::string_view> texts, float* out,
                           const RunOptions& options) const {
  if (out == nullptr && !texts.empty())
    fail(ErrorCode::invalid_argument, "out: expected room for ", texts.size(),
         " vectors, found a null pointer");
  const State& state = *state_;
  int threads = state.threads;
  if (options.threads > 0 && options.threads < threads) threads = options.threads;
  EmbedStats stats;
  TokenWindow window;
  while (!texts.empty()) {
    if (options.stop.stop_requested()) fail(ErrorCode::cancelled, "embedding was cancelled");
    const size_t count = window_size(texts, state.info.max_length);
    window.fill(state.tokenizer, texts.first(count), state.info.max_length, threads);

    const Batch batch = Batch::ragged(window.lengths());
    const Shape shape{batch.rows(), 1};
    const Input inputs[] = {{"ids", batch, TensorView(window.ids().data(), shape)},
                            {"type_ids", batch, TensorView(window.type_ids().data(), shape)}};
    const Output output{"embedding", MutableTensorView(out, {batch.sequences(), state.info.dim})};
    state.engine.run(inputs, std::span(&output, 1), options);

    stats += {batch.sequences(), batch.rows(), window.truncated()};
    texts = texts.subspan(count);
    out += batch.sequences() * state.info.dim;
  }
  return stats;
}

Embeddings Embedder::embed(std::span<const std::string_view> texts,
                           const RunOptions& options) const {
  Embeddings result;
  result.texts = checked_cast<int64_t>(texts.size(), "number of texts");
  result.dim = dim();
  result.values.resize(checked_mul(texts.size(), static_cast<size_t>(result.dim), "vectors"));
  result.stats = embed(texts, result.values.data(), options);
  return result;
}

Embeddings Embedder::embed(std::span<const std::string> texts, const RunOptions& options) const {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return embed(std::span(views), options);
}

int64_t Embedder::dim() const {
  return state_->info.dim;
}

const ModelInfo& Embedder::info() const {
  return state_->info;
}

const Tokenizer& Embedder::tokenizer() const {
  return state_->tokenizer;
}

const Engine& Embedder::engine() const {
  return state_->engine;
}

}  // namespace headway
