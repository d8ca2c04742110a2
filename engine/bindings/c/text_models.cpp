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

void write_model_info(headway_model_info* out, const ModelInfo& model) {
  headway_model_info info{};
  info.dim = model.dim;
  info.layers = model.layers;
  info.heads = model.heads;
  info.vocabulary = model.vocabulary;
  info.parameters = model.parameters;
  info.max_length = model.max_length;
  info.max_length_from = model.max_length_from.c_str();
  info.architecture = model.architecture.c_str();
  info.pooling = model.pooling.c_str();
  info.normalize = model.normalize;
  write_struct(out, "info", info);
}

}  // namespace headway::c
