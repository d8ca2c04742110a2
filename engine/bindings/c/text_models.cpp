// Options, texts and facts of models on texts.
#include "engine/bindings/c/text_models.hpp"

namespace headway::c {

EmbedderOptions read_model_options(const headway_options* options) {
  const EngineOptions given = read_options(options);
  EmbedderOptions result;
  result.threads = given.limits.threads;
  result.max_length = given.limits.tokens;
  result.memory = given.limits.memory;
  result.precision = given.precision;
  return result;
}

std::vector<std::string_view> read_texts(const headway_text* texts, size_t count,
                                         const char* name) {
  std::vector<std::string_view> views;
  if (count == 0) return views;
  not_null(texts, name);
  views.reserve(count);
  for (size_t i = 0; i < count; ++i) views.push_back(read_text(texts[i], name, "[", i, "]"));
  return views;
}

EmbedOptions read_prompts(const headway_text& prompt, const headway_text& prompt_name) {
  EmbedOptions chosen;
  if (prompt.data) chosen.prompt = read_text(prompt, "request.prompt");
  if (prompt_name.data) chosen.prompt_name = read_text(prompt_name, "request.prompt_name");
  return chosen;
}

void write_model_info(headway_model_info* out, const ModelInfo& model,
                      std::span<const char* const> labels) {
  headway_model_info info{};
  info.dim = model.dim;
  info.layers = model.layers;
  info.heads = model.heads;
  info.vocabulary = model.vocabulary;
  info.parameters = model.parameters;
  info.max_length = model.max_length;
  info.max_length_from = model.sources.at("max_length").c_str();
  info.architecture = model.architecture.c_str();
  info.pooling = model.pooling.c_str();
  info.normalize = model.normalize;
  info.labels = labels.data();
  info.label_count = labels.size();
  info.activation = model.activation.c_str();
  info.weights = model.weights.c_str();
  info.tokenizer = model.tokenizer.c_str();
  info.default_prompt_name = model.default_prompt_name.c_str();
  write_struct(out, "info", info);
}

}  // namespace headway::c
