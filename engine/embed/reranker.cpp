// A query with each of the documents through a sequence classifier of one label.
#include "headway/reranker.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/base/checked.hpp"
#include "engine/embed/optional_json.hpp"
#include "engine/embed/prompts.hpp"
#include "engine/embed/sigmoid.hpp"
#include "engine/embed/text_runner.hpp"
#include "engine/models/config.hpp"
#include "engine/models/heads.hpp"

namespace headway {
namespace {

// The activation that a field names by its class in torch.nn.
std::string activation_of(const Json& config, JsonNode field) {
  const std::string_view name = field.as_string();
  if (name.starts_with("torch.")) {
    if (name.ends_with(".Sigmoid")) return "sigmoid";
    if (name.ends_with(".Identity")) return "identity";
  }
  fail(ErrorCode::unsupported, config.name(), ": field \"", field.path(), "\": \"", name,
       "\" is not supported; known: Sigmoid and Identity of torch.nn");
}

// The first of the places where versions of the reference look.
void read_activation(const std::filesystem::path& directory, const Json& model, ModelInfo& info) {
  const auto try_field = [&](const Json& config, std::optional<JsonNode> object, const char* key) {
    const auto field = object ? find_value(*object, key) : std::nullopt;
    if (!field) return false;
    info.activation = activation_of(config, *field);
    info.sources["activation"] =
        cat(std::filesystem::path(config.name()).filename().string(), ": ", field->path());
    return true;
  };
  const auto own = read_optional_json(directory / kPipelineConfig);
  if (own && try_field(*own, own->root(), "activation_fn")) return;
  if (try_field(model, find_value(model.root(), "sentence_transformers"), "activation_fn")) return;
  if (try_field(model, model.root(), "sbert_ce_default_activation_function")) return;
  info.activation = "sigmoid";
  info.sources["activation"] = "the number of labels";
}

}  // namespace

Reranker Reranker::open(const std::filesystem::path& directory, const EmbedderOptions& options) {
  OpenedModel opened =
      open_headed_model(directory, options, TransformerTask::sequence_classification);
  const std::vector<std::string> labels = read_labels(opened.files.config);
  if (labels.size() != 1)
    fail(ErrorCode::unsupported, opened.files.config.name(),
         ": field \"id2label\": expected one "
         "label, as rerankers have, found ",
         labels.size());
  const Value logits = add_sequence_classifier(opened.files, opened.model, 1);
  opened.model.graph.output("logits", logits);
  ModelInfo info = describe(opened);
  info.labels = labels;
  info.sources["labels"] = labels_source(opened.files.config);
  read_activation(directory, opened.files.config, info);
  return Reranker(
      std::make_shared<const TextRunner>(make_runner(std::move(opened), std::move(info), options)));
}

EmbedStats Reranker::score(std::string_view query, std::span<const std::string_view> documents,
                           float* scores, const RunOptions& options) const {
  if (scores == nullptr && !documents.empty())
    fail(ErrorCode::invalid_argument, "scores: expected room for ", documents.size(),
         " numbers, found a null pointer");
  const std::string prompted =
      choose_prompt({info().prompts, info().default_prompt_name}, {}).append(query);
  const EncodeOptions encode_options{.max_length = static_cast<size_t>(info().max_length)};
  const auto bytes = [&](size_t i) { return prompted.size() + documents[i].size(); };
  const auto encode = [&](size_t i, std::vector<int32_t>& ids, std::vector<int32_t>& types) {
    return tokenizer().encode_pair_append(prompted, documents[i], encode_options, ids, types);
  };
  const auto run = [&](const TextRunner::Window& window) {
    const int64_t count = window.batch.sequences();
    const Output output{"logits", MutableTensorView(scores + window.first, {count, 1})};
    engine().run(window.inputs, std::span(&output, 1), options);
  };
  const EmbedStats stats = runner().run(documents.size(), bytes, encode, run, options);
  if (info().activation == "sigmoid") apply_sigmoid({scores, documents.size()});
  return stats;
}

std::vector<float> Reranker::score(std::string_view query,
                                   std::span<const std::string_view> documents,
                                   const RunOptions& options) const {
  std::vector<float> scores(documents.size());
  score(query, documents, scores.data(), options);
  return scores;
}

std::vector<RankedDocument> Reranker::rank(std::string_view query,
                                           std::span<const std::string_view> documents,
                                           size_t top_k, const RunOptions& options) const {
  return headway::rank(score(query, documents, options), top_k);
}

std::vector<RankedDocument> rank(std::span<const float> scores, size_t top_k) {
  std::vector<RankedDocument> ranked;
  for (size_t i = 0; i < scores.size(); ++i) ranked.push_back({i, scores[i]});
  const auto better = [](const RankedDocument& a, const RankedDocument& b) {
    if (std::isnan(a.score) || std::isnan(b.score))
      return std::isnan(b.score) && (!std::isnan(a.score) || a.index < b.index);
    return a.score != b.score ? a.score > b.score : a.index < b.index;
  };
  const size_t kept = top_k == 0 ? ranked.size() : std::min(top_k, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept),
                    ranked.end(), better);
  ranked.resize(kept);
  return ranked;
}

}  // namespace headway
