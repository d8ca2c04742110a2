// Texts through a masked language model, pooled by the maximum.
#include "headway/sparse_embedder.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/base/checked.hpp"
#include "engine/embed/prompts.hpp"
#include "engine/embed/text_runner.hpp"
#include "engine/models/heads.hpp"
#include "headway/layers.hpp"

namespace headway {
namespace {

// "relu" or "log1p_relu".
std::string read_splade_pooling(const Module& module) {
  const Json config = Json::read_file((module.directory / "config.json").string());
  const std::string_view strategy = config.root().get_string("pooling_strategy", "max");
  if (strategy != "max")
    fail(ErrorCode::unsupported, config.name(), ": field \"pooling_strategy\": \"", strategy,
         "\" is not supported; known: max");
  const std::string_view activation = config.root().get_string("activation_function", "relu");
  if (activation != "relu" && activation != "log1p_relu")
    fail(ErrorCode::unsupported, config.name(), ": field \"activation_function\": \"", activation,
         "\" is not supported; known: relu, log1p_relu");
  return std::string(activation);
}

// log(1 + x) grows with x, so it is taken of the greatest logit alone.
SparseVector sparse(std::span<const float> greatest, bool twice) {
  SparseVector vector;
  for (size_t token = 0; token < greatest.size(); ++token) {
    if (!(greatest[token] > 0)) continue;
    double weight = std::log1p(double{greatest[token]});
    if (twice) weight = std::log1p(weight);
    vector.tokens.push_back(static_cast<int32_t>(token));
    vector.weights.push_back(static_cast<float>(weight));
  }
  return vector;
}

}  // namespace

double similarity(const SparseVector& a, const SparseVector& b) {
  double sum = 0;
  for (size_t i = 0, j = 0; i < a.tokens.size() && j < b.tokens.size();) {
    if (a.tokens[i] == b.tokens[j]) sum += double{a.weights[i]} * b.weights[j];
    const bool first = a.tokens[i] <= b.tokens[j], second = b.tokens[j] <= a.tokens[i];
    i += first ? 1 : 0;
    j += second ? 1 : 0;
  }
  return sum;
}

SparseEmbedder SparseEmbedder::open(const std::filesystem::path& directory,
                                    const EmbedderOptions& options) {
  OpenedModel opened = open_text_model(directory, options, TransformerTask::masked_lm);
  const std::vector<Module>& modules = opened.pipeline.modules;
  if (modules.empty())
    fail(ErrorCode::format, directory.string(),
         ": modules.json: expected SpladePooling after the transformer, found nothing");
  if (modules[0].kind != "SpladePooling") refuse_module(modules[0], "SpladePooling");
  if (modules.size() > 1) refuse_module(modules[1], "nothing after SpladePooling");
  std::string activation = read_splade_pooling(modules[0]);
  const std::string config = config_of(modules[0]);
  const Value logits = add_masked_lm(opened.files, opened.model);
  opened.model.graph.output("greatest", pool(opened.model.graph, logits, Pooling::max));
  ModelInfo info = describe(opened);
  info.dim = opened.model.vocabulary;
  info.pooling = "max";
  info.activation = std::move(activation);
  info.sources["pooling"] = info.sources["activation"] = config;
  return SparseEmbedder(
      std::make_shared<const TextRunner>(make_runner(std::move(opened), std::move(info), options)));
}

SparseEmbeddings SparseEmbedder::embed(std::span<const std::string_view> texts,
                                       const RunOptions& options,
                                       const EmbedOptions& chosen) const {
  const std::string prompt = choose_prompt({info().prompts, info().default_prompt_name}, chosen);
  const EncodeOptions encode_options{.max_length = static_cast<size_t>(info().max_length)};
  const auto width = static_cast<size_t>(info().dim);
  SparseEmbeddings result;
  result.vectors.resize(texts.size());
  std::vector<float> greatest;
  size_t begin = 0;
  const auto bytes = [&](size_t i) { return prompt.size() + texts[begin + i].size(); };
  const auto encode = [&](size_t i, std::vector<int32_t>& ids, std::vector<int32_t>&) {
    return runner().encode(prompt, texts[begin + i], encode_options, ids);
  };
  const auto run = [&](const TextRunner::Window& window) {
    const int64_t count = window.batch.sequences();
    greatest.resize(checked_mul(static_cast<size_t>(count), width, "sparse vectors"));
    const Output output{"greatest", MutableTensorView(greatest.data(), {count, info().dim})};
    engine().run(window.inputs, std::span(&output, 1), options);
    for (size_t i = 0; i < static_cast<size_t>(count); ++i)
      result.vectors[begin + window.first + i] =
          sparse(std::span(greatest).subspan(i * width, width), info().activation == "log1p_relu");
  };
  // As dense rows 256 texts take 31 MB with the 30,522 tokens of BERT.
  constexpr size_t kTexts = 256;
  for (begin = 0; begin < texts.size(); begin += kTexts)
    result.stats +=
        runner().run(std::min(kTexts, texts.size() - begin), bytes, encode, run, options);
  return result;
}

}  // namespace headway
