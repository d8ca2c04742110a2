// Opens a model directory, and takes texts through tokenizer and engine.
#include "headway/embedder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/checked.hpp"
#include "engine/embed/late_interaction.hpp"
#include "engine/embed/modules.hpp"
#include "engine/embed/text_runner.hpp"
#include "headway/layers.hpp"

namespace headway {

struct Embedder::State {
  TextRunner runner;
  Prompts prompts;
  int64_t width;  // of the engine's vectors; dim() is what callers get by default
  bool skips_prompt;
};

namespace {

// Without modules.json, as sentence-transformers does it: pooled by the mean.
Features add_modules(OpenedModel& opened) {
  LoadedModel& model = opened.model;
  Features features{.tokens = model.hidden};
  if (!opened.pipeline.listed) {
    features.sentence = pool(model.graph, model.hidden, Pooling::mean, "pooling");
    features.pooling = "mean";
    features.pooling_source = "no modules.json";
  }
  for (const Module& module : opened.pipeline.modules) add_module(model.graph, module, features);
  if (!features.sentence)
    fail(ErrorCode::format, "modules.json: expected a Pooling after the Transformer, found none");
  return features;
}

// The number of leading tokens that pooling leaves out for a prompt: the reference counts the
// prompt's tokens without a special token at the end.
size_t prompt_tokens(const Tokenizer& tokenizer, std::string_view prompt, int64_t max_length) {
  if (prompt.empty()) return 0;
  const EncodeOptions options{.max_length = static_cast<size_t>(max_length)};
  const std::vector<int32_t> ids = tokenizer.encode(prompt, options).ids;
  return tokenizer.ends_with_special_token() && !ids.empty() ? ids.size() - 1 : ids.size();
}

// Vectors [texts, width] become [texts, dim], of length 1 again where they were: sums in double,
// one after the other, so that a vector's bits depend on nothing else.
void shorten(std::span<const float> vectors, int64_t width, int64_t dim, bool normalize,
             float* out) {
  for (; !vectors.empty(); vectors = vectors.subspan(static_cast<size_t>(width)), out += dim) {
    double squares = 0;
    for (int64_t i = 0; i < dim; ++i) squares += double{vectors[i]} * vectors[i];
    const double length = normalize ? std::max(std::sqrt(squares), 1e-12) : 1;
    for (int64_t i = 0; i < dim; ++i) out[i] = static_cast<float>(vectors[i] / length);
  }
}

}  // namespace

EmbedStats& EmbedStats::operator+=(const EmbedStats& other) {
  texts += other.texts;
  tokens += other.tokens;
  truncated += other.truncated;
  return *this;
}

Embedder Embedder::open(const std::filesystem::path& directory, const EmbedderOptions& options) {
  OpenedModel opened = open_text_model(directory, options);
  if (is_late_interaction(directory))
    fail(ErrorCode::unsupported, directory.string(),
         ": a model of late interaction, which has a vector for each token: MultiVectorEmbedder "
         "opens it, and headway rerank");
  const Features features = add_modules(opened);
  Graph& graph = opened.model.graph;
  graph.output("embedding", *features.sentence);
  const int64_t width = graph.type(*features.sentence).width;

  Prompts prompts = opened.pipeline.prompts;
  ModelInfo info = describe(opened, features.taken);
  info.dim = std::min(width, prompts.dimensions.value_or(width));
  if (prompts.dimensions) info.sources["dim"] = cat(kPipelineConfig, ": truncate_dim");
  info.pooling = features.pooling;
  info.sources["pooling"] = features.pooling_source;
  info.normalize = features.sentence_normalized;
  info.sources["normalize"] = info.normalize           ? features.normalize_source
                              : opened.pipeline.listed ? "modules.json"
                                                       : "no modules.json";
  TextRunner runner = make_runner(std::move(opened), std::move(info), options);
  return Embedder(std::make_shared<const State>(
      State{std::move(runner), std::move(prompts), width, features.skip.has_value()}));
}

EmbedStats Embedder::embed(std::span<const std::string_view> texts, float* out,
                           const RunOptions& options, const EmbedOptions& chosen) const {
  if (out == nullptr && !texts.empty())
    fail(ErrorCode::invalid_argument, "out: expected room for ", texts.size(),
         " vectors, found a null pointer");
  const TextRunner& runner = state_->runner;
  const Prompts& prompts = state_->prompts;
  const int64_t width = state_->width;
  const bool skips_prompt = state_->skips_prompt;
  const int64_t dim = dim_of(chosen);
  const std::string prompt = choose_prompt(prompts, chosen);
  const auto skipped = static_cast<int64_t>(
      skips_prompt ? prompt_tokens(runner.tokenizer, prompt, runner.info.max_length) : 0);
  EncodeOptions encode_options;
  encode_options.max_length = static_cast<size_t>(runner.info.max_length);
  std::vector<int32_t> skip;
  std::vector<float> whole;

  const auto bytes = [&](size_t text) { return prompt.size() + texts[text].size(); };
  const auto encode = [&](size_t text, std::vector<int32_t>& ids, std::vector<int32_t>&) {
    return runner.encode(prompt, texts[text], encode_options, ids);
  };
  const auto run = [&](const TextRunner::Window& window) {
    std::vector<Input> inputs(window.inputs.begin(), window.inputs.end());
    if (skips_prompt) {
      skip.clear();
      for (const int64_t length : window.tokens.lengths())
        for (int64_t token = 0; token < length; ++token) skip.push_back(token < skipped);
      inputs.push_back({"skip", window.batch, TensorView(skip.data(), {window.batch.rows(), 1})});
    }
    const int64_t sequences = window.batch.sequences();
    float* to = out + static_cast<int64_t>(window.first) * dim;
    if (dim < width) {
      whole.resize(static_cast<size_t>(sequences * width));
      to = whole.data();
    }
    const Output output{"embedding", MutableTensorView(to, {sequences, width})};
    runner.engine.run(inputs, std::span(&output, 1), options);
    if (dim < width)
      shorten(whole, width, dim, runner.info.normalize,
              out + static_cast<int64_t>(window.first) * dim);
  };
  return runner.run(texts.size(), bytes, encode, run, options);
}

Embeddings Embedder::embed(std::span<const std::string_view> texts, const RunOptions& options,
                           const EmbedOptions& chosen) const {
  Embeddings result;
  result.texts = checked_cast<int64_t>(texts.size(), "number of texts");
  result.dim = dim_of(chosen);
  result.values.resize(checked_mul(texts.size(), static_cast<size_t>(result.dim), "vectors"));
  result.stats = embed(texts, result.values.data(), options, chosen);
  return result;
}

Embeddings Embedder::embed(std::span<const std::string> texts, const RunOptions& options,
                           const EmbedOptions& chosen) const {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return embed(std::span(views), options, chosen);
}

int64_t Embedder::dim_of(const EmbedOptions& options) const {
  if (options.dimensions == 0) return dim();
  if (options.dimensions < 0 || options.dimensions > state_->width)
    fail(ErrorCode::invalid_argument, "dimensions: expected 1 to ", state_->width, ", found ",
         options.dimensions);
  return options.dimensions;
}

int64_t Embedder::dim() const {
  return state_->runner.info.dim;
}

const ModelInfo& Embedder::info() const {
  return state_->runner.info;
}

const Tokenizer& Embedder::tokenizer() const {
  return state_->runner.tokenizer;
}

const Engine& Embedder::engine() const {
  return state_->runner.engine;
}

}  // namespace headway
