// Opens transformer and tokenizer, and checks that they belong together.
#include "engine/embed/text_model.hpp"

#include <utility>

#include "engine/base/message.hpp"

namespace headway {

TextModel open_text_model(const std::filesystem::path& directory, int64_t max_length) {
  Pipeline pipeline = read_pipeline(directory);
  LoadedModel model = load_model(pipeline.transformer);
  Tokenizer tokenizer = Tokenizer::open(pipeline.transformer);
  if (tokenizer.vocab_size() > model.vocabulary)
    fail(ErrorCode::format, pipeline.transformer.string(),
         ": config.json: field \"vocab_size\": ", model.vocabulary,
         " is too small for the tokenizer, which has ", tokenizer.vocab_size(), " ids");
  LengthLimit limit =
      read_length_limit(pipeline.transformer, model.positions, tokenizer, max_length);
  return {std::move(pipeline), std::move(model), std::move(tokenizer), std::move(limit)};
}

}  // namespace headway
