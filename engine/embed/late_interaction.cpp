// Reading the configuration of a late-interaction model.
#include "engine/embed/late_interaction.hpp"

#include <string_view>

#include "engine/base/message.hpp"
#include "engine/embed/optional_json.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

std::optional<Json> read_model_config(const fs::path& directory) {
  return read_optional_json(directory / "config_sentence_transformers.json");
}

std::optional<LengthLimit> read_length(JsonNode config, const char* file, const char* field) {
  const auto node = config.find(field);
  if (!node || node->is_null()) return std::nullopt;
  return LengthLimit{node->as_int64(1, INT64_MAX), cat(file, ": ", field)};
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

}  // namespace

bool is_late_interaction(const fs::path& directory) {
  const auto config = read_model_config(directory);
  return config && config->root().get_string("model_type", "") == "MultiVectorEncoder";
}

LateInteraction read_late_interaction(const fs::path& directory, const fs::path& transformer,
                                      const Tokenizer& tokenizer, int64_t positions) {
  LateInteraction late;
  if (const auto model = read_model_config(directory)) late.mean = is_mean(model->root());
  constexpr const char* kFile = "sentence_bert_config.json";
  const auto config = read_optional_json(transformer / kFile);
  if (!config) return late;
  const JsonNode root = config->root();
  late.query_length = read_length(root, kFile, "query_length");
  late.document_length = read_length(root, kFile, "document_length");
  late.expansion = read_query_expansion(root, tokenizer, positions);
  if (!late.expansion) return late;
  refuse_left_padding(transformer);
  if (late.query_length && late.query_length->tokens < late.expansion->length)
    root.at("query_length")
        .refuse(cat("expected at least ", late.expansion->length,
                    ", the length of query_expansion, found ", late.query_length->tokens));
  return late;
}

}  // namespace headway
