// Opens transformer and tokenizer, and checks that they belong together.
#include "engine/embed/text_model.hpp"

#include <utility>

#include "engine/base/message.hpp"

namespace headway {

OpenedModel open_text_model(const std::filesystem::path& directory, const EmbedderOptions& options,
                            TransformerTask task) {
  Pipeline pipeline = read_pipeline(directory);
  ModelFiles files = open_model_files(pipeline.transformer);
  LoadedModel model = load_model(files);
  const TransformerConfig config = read_transformer_config(pipeline.transformer, task);
  Tokenizer tokenizer = Tokenizer::open(pipeline.transformer, {.lower_case = config.lower_case});
  if (tokenizer.vocab_size() > model.vocabulary)
    fail(ErrorCode::format, pipeline.transformer.string(),
         ": config.json: field \"vocab_size\": ", model.vocabulary,
         " is too small for the tokenizer, which has ", tokenizer.vocab_size(), " ids");
  LengthLimit limit = choose_length_limit(pipeline.transformer, config, model.positions, tokenizer,
                                          options.max_length);
  return {std::move(pipeline),  std::move(files), std::move(model), config,
          std::move(tokenizer), std::move(limit)};
}

OpenedModel open_headed_model(const std::filesystem::path& directory,
                              const EmbedderOptions& options, TransformerTask task) {
  OpenedModel opened = open_text_model(directory, options, task);
  if (!opened.pipeline.modules.empty()) refuse_module(opened.pipeline.modules.front(), "none");
  return opened;
}

Engine compile(const OpenedModel& opened, const EmbedderOptions& options) {
  Limits limits;
  limits.threads = options.threads;
  limits.tokens = opened.limit.tokens;
  limits.memory = options.memory;
  return compile(opened.model.graph, limits, {.precision = options.precision});
}

}  // namespace headway
