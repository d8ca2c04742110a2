// Reading the configuration of a late-interaction model.
#include "engine/embed/late_interaction.hpp"

#include <string_view>

#include "engine/base/message.hpp"
#include "engine/embed/optional_json.hpp"
#include "engine/embed/prompts.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

std::optional<Json> read_model_config(const fs::path& directory) {
  return read_optional_json(directory / kPipelineConfig);
}

// Where files name another function, as models made of sentence embedders do, the reference takes
// MaxSim.
bool is_mean(JsonNode config) {
  return config.get_string("similarity_fn_name", "") == "meanmaxsim";
}

// Tokens before the text and positions after it would have to change places.
void refuse_left_padding(const fs::path& transformer) {
  const auto config = read_optional_json(transformer / "tokenizer_config.json");
  if (config && config->root().get_string("padding_side", "right") == "left")
    config->root()
        .at("padding_side")
        .refuse("\"left\" does not go together with query_expansion here", ErrorCode::unsupported);
}

// Of queries to their length, 32 as in the paper where no file gives one.
QueryExpansion expansion_of(const ColbertConfig& older, const fs::path& transformer,
                            const Tokenizer& tokenizer, int64_t positions) {
  const LengthLimit length = older.query_length.value_or(LengthLimit{32, "query_length"});
  if (length.tokens > positions)
    fail(ErrorCode::format, transformer.string(), ": ", length.from, ": expected at most ",
         positions, ", the positions of the model, found ", length.tokens);
  return {.length = length.tokens,
          .fixed = true,
          .attend = older.attends,
          .token = expansion_token(tokenizer)};
}

}  // namespace

bool is_late_interaction(const fs::path& directory) {
  const auto config = read_model_config(directory);
  if (config && config->root().get_string("model_type", "") == "MultiVectorEncoder") return true;
  return read_colbert_config(directory).has_value();
}

LateInteraction read_late_interaction(const fs::path& directory, const OpenedModel& opened,
                                      const std::optional<ColbertConfig>& older) {
  constexpr const char* kFile = "sentence_bert_config.json";
  const fs::path& transformer = opened.pipeline.transformer;
  const int64_t positions = opened.model.positions;
  LateInteraction late;
  if (const auto model = read_model_config(directory)) late.mean = is_mean(model->root());
  const auto config = read_optional_json(transformer / kFile);
  if (config) {
    const JsonNode root = config->root();
    late.query_length = read_length(root, kFile, "query_length");
    late.document_length = read_length(root, kFile, "document_length");
    late.expansion = read_query_expansion(root, opened.tokenizer, positions);
  }
  if (older) {
    if (!late.document_length) late.document_length = older->document_length;
    if (older->expands && !(config && config->root().contains("query_expansion")))
      late.expansion = expansion_of(*older, transformer, opened.tokenizer, positions);
    else if (!late.query_length)
      late.query_length = older->query_length;
  }
  if (late.expansion) refuse_left_padding(transformer);
  if (late.expansion && late.query_length && late.query_length->tokens < late.expansion->length)
    fail(ErrorCode::format, directory.string(), ": ", late.query_length->from,
         ": expected at least ", late.expansion->length, ", the length of query_expansion, found ",
         late.query_length->tokens);
  return late;
}

}  // namespace headway
