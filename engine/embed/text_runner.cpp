// Windows of texts.
#include "engine/embed/text_runner.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/message.hpp"
#include "headway/text_model.hpp"

namespace headway {

int TextRunner::threads_for(const RunOptions& options) const {
  return options.threads > 0 ? std::min(options.threads, threads) : threads;
}

bool TextRunner::encode(std::string_view prompt, std::string_view text,
                        const EncodeOptions& options, std::vector<int32_t>& ids) const {
  if (prompt.empty()) return tokenizer.encode_append(text, options, ids);
  thread_local std::string prompted;
  prompted.assign(prompt).append(text);
  return tokenizer.encode_append(prompted, options, ids);
}

EmbedStats TextRunner::run(size_t texts, FunctionRef<size_t(size_t)> bytes,
                           TokenWindow::Encode encode, FunctionRef<void(const Window&)> run,
                           const RunOptions& options) const {
  EmbedStats stats;
  TokenWindow window;
  for (size_t first = 0; first < texts;) {
    if (options.stop.stop_requested()) fail(ErrorCode::cancelled, "the call was cancelled");
    const size_t count = window_size(
        texts - first, [&](size_t text) { return bytes(first + text); }, info.max_length,
        window_tokens);
    window.fill(
        count,
        [&](size_t text, std::vector<int32_t>& ids, std::vector<int32_t>& type_ids) {
          return encode(first + text, ids, type_ids);
        },
        threads_for(options), options.stop);
    const Batch batch = Batch::ragged(window.lengths());
    const Shape shape{batch.rows(), 1};
    const Input inputs[] = {{"ids", batch, TensorView(window.ids().data(), shape)},
                            {"type_ids", batch, TensorView(window.type_ids().data(), shape)}};
    run({first, window, batch, inputs});
    stats += {batch.sequences(), batch.rows(), window.truncated()};
    first += count;
  }
  return stats;
}

TextRunner make_runner(OpenedModel opened, ModelInfo info, const EmbedderOptions& options) {
  Engine engine = compile(opened, options);
  const int threads = engine.info().threads;
  return {std::move(opened.tokenizer), std::move(engine), std::move(info), threads};
}

ModelInfo describe(const OpenedModel& opened, const Taken& of_modules) {
  const LoadedModel& model = opened.model;
  ModelInfo info;
  info.architecture = model.architecture;
  Taken taken = opened.files.tensors.taken();
  taken.add(of_modules);
  info.parameters = taken.elements;
  for (const DType type : taken.types)
    info.weights += cat(info.weights.empty() ? "" : " + ", to_string(type));
  info.sources["weights"] = std::filesystem::path(opened.files.tensors.path()).filename().string();
  info.hidden_size = model.dim;
  info.layers = model.layers;
  info.dim = model.dim;
  info.heads = model.heads;
  info.vocabulary = model.vocabulary;
  info.max_length = opened.limit.tokens;
  info.sources["max_length"] = opened.limit.from;
  const TokenizerFacts& tokenizer = opened.tokenizer.facts();
  info.tokenizer = tokenizer.model;
  info.sources["tokenizer"] = tokenizer.source;
  if (opened.config.lower_case)
    info.sources["tokenizer"] += ", sentence_bert_config.json: do_lower_case";
  const Prompts& prompts = opened.pipeline.prompts;
  info.prompts = prompts.by_name;
  info.default_prompt_name = prompts.default_name;
  if (prompts.given) info.sources["prompts"] = kPipelineConfig;
  return info;
}

const ModelInfo& TextModel::info() const {
  return runner_->info;
}

const Tokenizer& TextModel::tokenizer() const {
  return runner_->tokenizer;
}

const Engine& TextModel::engine() const {
  return runner_->engine;
}

}  // namespace headway
