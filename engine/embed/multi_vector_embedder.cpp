// Texts through a transformer to vectors of their tokens, and MaxSim between these.
#include "headway/multi_vector_embedder.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "engine/base/checked.hpp"
#include "engine/embed/colbert_config.hpp"
#include "engine/embed/late_interaction.hpp"
#include "engine/embed/modules.hpp"
#include "engine/embed/prefix_tokens.hpp"
#include "engine/embed/prompts.hpp"
#include "engine/embed/text_runner.hpp"
#include "engine/embed/token_mask.hpp"
#include "engine/ops/max_sim.hpp"
#include "headway/layers.hpp"

namespace headway {

struct MultiVectorState {
  std::optional<QueryExpansion> expansion;
  std::optional<TokenMask> mask;
  int64_t query_length, document_length;  // tokens at most
  bool mean;                              // similarity

  MultiVectors embed(const TextRunner& runner, std::span<const std::string_view> texts,
                     TextKind kind, const RunOptions& options, const EmbedOptions& chosen) const;

  float scaled(double similarity, size_t query_tokens) const {
    const size_t divisor = mean ? std::max<size_t>(query_tokens, 1) : 1;
    return static_cast<float>(similarity / static_cast<double>(divisor));
  }
};

namespace {

// Adds the modules; returns the mask, if there is one.
std::optional<TokenMask> add_modules(OpenedModel& opened, const std::optional<ColbertConfig>& older,
                                     Features& features) {
  Graph& graph = opened.model.graph;
  std::optional<TokenMask> mask;
  for (const Module& module : opened.pipeline.modules) {
    if (module.kind == "Dense" || module.kind == "Normalize")
      add_module(graph, module, features);
    else if (module.kind == "MultiVectorMask" && !mask)
      mask.emplace(module, opened.tokenizer);
    else
      refuse_module(module, "Dense, Normalize, MultiVectorMask, once");
  }
  if (!older) return mask;
  if (older->dim) {
    const Weight weight = opened.files.tensors.without_prefix().take(
        "linear.weight", {*older->dim, opened.model.dim});
    features.tokens = linear(graph, features.tokens, {weight, {}}, "linear");
  }
  features.tokens = l2_normalize(graph, features.tokens);
  features.tokens_normalized = true;
  features.normalize_source = older->file;
  return TokenMask(older->skiplist_words, opened.tokenizer);
}

// As choose_length_limit(), with the length that the files give to this kind of text, if they do.
LengthLimit choose_limit(const OpenedModel& opened, const std::optional<LengthLimit>& length,
                         int64_t asked) {
  TransformerConfig config = opened.config;
  if (length) {
    config.max_seq_length = length->tokens;
    config.max_length_from = length->from;
  }
  return choose_length_limit(opened.pipeline.transformer, config, opened.model.positions,
                             opened.tokenizer, asked);
}

// `asked` was found right for documents.
LengthLimit query_limit(const OpenedModel& opened, const LateInteraction& late, int64_t asked) {
  const int64_t least = late.expansion ? late.expansion->length : 0;
  const LengthLimit expansion{least, "query_expansion.length"};
  if (late.expansion && late.expansion->fixed) return choose_limit(opened, expansion, 0);
  LengthLimit limit = choose_limit(opened, late.query_length, 0);
  if (asked > 0 && asked < limit.tokens) limit = {asked, "options"};
  return limit.tokens < least ? expansion : limit;
}

// `vectors` hold rows of `batch` behind those of earlier texts: of text number i the rows j for
// which keeps(i, j) stay, without a gap.
template <typename Keeps>
void keep_rows(const Batch& batch, const Keeps& keeps, MultiVectors& vectors) {
  const int64_t first = vectors.offsets.back(), dim = vectors.dim;
  int64_t kept = first;
  for (int64_t text = 0; text < batch.sequences(); ++text) {
    for (int64_t row = 0; row < batch.length(text); ++row) {
      if (!keeps(text, row)) continue;
      const int64_t from = first + batch.offsets()[text] + row, to = kept++;
      if (from != to)
        std::copy_n(vectors.values.data() + from * dim, dim, vectors.values.data() + to * dim);
    }
    vectors.offsets.push_back(kept);
  }
  vectors.values.resize(static_cast<size_t>(kept * dim));
}

double checked_max_sim(std::span<const float> query, std::span<const float> document, int64_t dim) {
  if (dim < 1) fail(ErrorCode::invalid_argument, "dim is ", dim, ", expected at least 1");
  const auto width = static_cast<size_t>(dim);
  const auto check = [&](const char* name, std::span<const float> rows) {
    if (rows.size() % width != 0)
      fail(ErrorCode::invalid_argument, name, " has ", rows.size(), " numbers, expected rows of ",
           dim);
  };
  check("query", query);
  check("document", document);
  return MaxSim(query, width).of(document);
}

}  // namespace

MultiVectors MultiVectorState::embed(const TextRunner& runner,
                                     std::span<const std::string_view> texts, TextKind kind,
                                     const RunOptions& options, const EmbedOptions& chosen) const {
  const bool query = kind == TextKind::query;
  EmbedOptions prompted = chosen;
  if (!chosen.prompt && !chosen.prompt_name) prompted.prompt_name = query ? "query" : "document";
  const std::string prompt = choose_prompt({runner.info.prompts}, prompted);
  const QueryExpansion* const expands = query && expansion ? &*expansion : nullptr;
  const auto least = static_cast<size_t>(expands ? expands->length : 0);
  const EncodeOptions encode_options{
      .max_length = static_cast<size_t>(query ? query_length : document_length)};
  std::vector<int64_t> given(texts.size());  // tokens of each, without those of an expansion
  MultiVectors vectors;
  vectors.dim = runner.info.dim;
  vectors.offsets.reserve(texts.size() + 1);

  const auto bytes = [&](size_t i) { return std::max(prompt.size() + texts[i].size(), least); };
  const auto encode = [&](size_t i, std::vector<int32_t>& ids, std::vector<int32_t>&) {
    const size_t begin = ids.size();
    const bool cut = runner.encode(prompt, texts[i], encode_options, ids);
    given[i] = static_cast<int64_t>(ids.size() - begin);
    if (ids.size() < begin + least) ids.resize(begin + least, expands->token);
    return cut;
  };
  const auto run = [&](const TextRunner::Window& window) {
    const Batch& batch = window.batch;
    const std::span<const int64_t> real =
        std::span(given).subspan(window.first, static_cast<size_t>(batch.sequences()));
    const bool hides = expands && !expands->attend;
    const Batch seen = hides ? Batch::ragged(window.tokens.lengths(), real) : batch;
    std::vector<Input> inputs;
    for (const Input& input : window.inputs) inputs.push_back({input.name, seen, input.data});
    // All rows first, behind those of earlier windows.
    const auto before = static_cast<size_t>(vectors.offsets.back() * vectors.dim);
    const auto more = static_cast<size_t>(checked_mul(batch.rows(), vectors.dim, "token vectors"));
    vectors.values.resize(checked_add(before, more, "token vectors"));
    const Output output{
        "tokens", MutableTensorView(vectors.values.data() + before, {batch.rows(), vectors.dim})};
    runner.engine.run(inputs, std::span(&output, 1), options);
    const auto keeps = [&](int64_t text, int64_t token) {
      // Only a mask counts tokens that nobody attends to.
      if (hides && !mask && token >= real[static_cast<size_t>(text)]) return false;
      const auto row = static_cast<size_t>(batch.offsets()[text] + token);
      return !mask || mask->keeps(window.tokens.ids()[row], kind);
    };
    keep_rows(batch, keeps, vectors);
  };
  vectors.stats = runner.run(texts.size(), bytes, encode, run, options);
  return vectors;
}

MultiVectorEmbedder MultiVectorEmbedder::open(const std::filesystem::path& directory,
                                              const EmbedderOptions& options) {
  EmbedderOptions unlimited = options;
  unlimited.max_length = 0;  // which is for documents, and they may have a limit of their own
  OpenedModel opened = open_text_model(directory, unlimited);
  if (!is_late_interaction(directory))
    fail(ErrorCode::unsupported, directory.string(),
         ": no model of late interaction: its files name neither MultiVectorEncoder nor ColBERT");
  const std::optional<ColbertConfig> older = read_colbert_config(directory);
  if (older) put_prefixes(*older, opened);
  const LateInteraction late = read_late_interaction(directory, opened, older);
  Features features{.tokens = opened.model.hidden, .dense_input = "token_embeddings"};
  auto state = std::make_shared<MultiVectorState>();
  state->mask = add_modules(opened, older, features);
  Graph& graph = opened.model.graph;
  graph.output("tokens", features.tokens);

  state->expansion = late.expansion;
  state->mean = late.mean;
  opened.limit = choose_limit(opened, late.document_length, options.max_length);
  state->document_length = opened.limit.tokens;
  const LengthLimit of_queries = query_limit(opened, late, options.max_length);
  state->query_length = of_queries.tokens;
  ModelInfo info = describe(opened, features.taken);
  info.query_length = of_queries.tokens;
  info.sources["query_length"] = of_queries.from;
  if (late.expansion) info.query_expansion = late.expansion->length;
  info.dim = graph.type(features.tokens).width;
  info.normalize = features.tokens_normalized;
  info.sources["normalize"] = info.normalize ? features.normalize_source : "modules.json";
  opened.limit.tokens = std::max(state->document_length, state->query_length);  // the engine's
  return MultiVectorEmbedder(
      std::make_shared<const TextRunner>(make_runner(std::move(opened), std::move(info), options)),
      std::move(state));
}

MultiVectors MultiVectorEmbedder::embed_queries(std::span<const std::string_view> texts,
                                                const RunOptions& options,
                                                const EmbedOptions& chosen) const {
  return state_->embed(runner(), texts, TextKind::query, options, chosen);
}

MultiVectors MultiVectorEmbedder::embed_documents(std::span<const std::string_view> texts,
                                                  const RunOptions& options,
                                                  const EmbedOptions& chosen) const {
  return state_->embed(runner(), texts, TextKind::document, options, chosen);
}

float MultiVectorEmbedder::similarity(std::span<const float> query,
                                      std::span<const float> document) const {
  return state_->scaled(checked_max_sim(query, document, info().dim),
                        query.size() / static_cast<size_t>(info().dim));
}

EmbedStats MultiVectorEmbedder::score(std::string_view query,
                                      std::span<const std::string_view> documents, float* scores,
                                      const RunOptions& options) const {
  if (scores == nullptr && !documents.empty())
    fail(ErrorCode::invalid_argument, "scores: expected room for ", documents.size(),
         " numbers, found a null pointer");
  const MultiVectors asked = embed_queries(std::span(&query, 1), options);
  MaxSim similarity(asked.rows(0), static_cast<size_t>(info().dim));
  // Of 180 tokens of 128 numbers each these take 24 MB.
  constexpr size_t kDocuments = 256;
  EmbedStats stats = asked.stats;
  for (size_t first = 0; first < documents.size(); first += kDocuments) {
    const size_t count = std::min(kDocuments, documents.size() - first);
    const MultiVectors vectors = embed_documents(documents.subspan(first, count), options);
    for (size_t i = 0; i < count; ++i)
      scores[first + i] = state_->scaled(similarity.of(vectors.rows(static_cast<int64_t>(i))),
                                         static_cast<size_t>(asked.tokens(0)));
    stats += vectors.stats;
  }
  return stats;
}

std::vector<float> MultiVectorEmbedder::score(std::string_view query,
                                              std::span<const std::string_view> documents,
                                              const RunOptions& options) const {
  std::vector<float> scores(documents.size());
  score(query, documents, scores.data(), options);
  return scores;
}

std::vector<RankedDocument> MultiVectorEmbedder::rank(std::string_view query,
                                                      std::span<const std::string_view> documents,
                                                      size_t top_k,
                                                      const RunOptions& options) const {
  return headway::rank(score(query, documents, options), top_k);
}

float max_sim(std::span<const float> query, std::span<const float> document, int64_t dim) {
  return static_cast<float>(checked_max_sim(query, document, dim));
}

}  // namespace headway
