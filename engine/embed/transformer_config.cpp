// Reading sentence_bert_config.json, and weighing the limits.
#include "engine/embed/transformer_config.hpp"

#include <optional>

#include "engine/base/message.hpp"
#include "engine/embed/optional_json.hpp"
#include "engine/models/config.hpp"

namespace headway {
namespace {

void refuse_value(const Json& config, JsonNode object, const char* field, const char* known) {
  const std::string_view value = object.get_string(field, known);
  if (value == known) return;
  fail(ErrorCode::unsupported, config.name(), ": field \"", object.at(field).path(), "\": \"",
       value, "\" is not supported; known: ", known);
}

// `processing_kwargs` go to the tokenizer: padding and the kind of tensors change nothing here.
void refuse_processing(const Json& config, JsonNode root) {
  const auto given = find_value(root, "processing_kwargs");
  if (!given) return;
  for (const char* kind : {"common", "text"}) {
    const auto values = find_value(*given, kind);
    if (!values) continue;
    for (const JsonNode value : values->members()) {
      if (value.key() == "padding" || value.key() == "return_tensors") continue;
      if (value.key() == "truncation" && value.as_bool()) continue;
      fail(ErrorCode::unsupported, config.name(), ": field \"", value.path(),
           "\" is not supported; known: padding, return_tensors, truncation true");
    }
  }
}

struct Names {
  const char *task, *method_output, *output;
};

const Names& names_of(TransformerTask task) {
  static constexpr Names kNames[] = {
      {"feature-extraction", "last_hidden_state", "token_embeddings"},
      {"sequence-classification", "logits", "scores"},
      {"token-classification", "logits", "scores"},
      {"fill-mask", "logits", "token_embeddings"},
  };
  return kNames[static_cast<size_t>(task)];
}

LengthLimit model_limit(const TransformerConfig& config, int64_t positions,
                        const Tokenizer& tokenizer) {
  LengthLimit limit{positions, "config.json: max_position_embeddings"};
  const auto lower = [&](std::optional<int64_t> tokens, const std::string& from) {
    if (tokens && *tokens < limit.tokens) limit = {*tokens, from};
  };
  if (config.max_seq_length)
    lower(config.max_seq_length, config.max_length_from);
  else
    lower(tokenizer.model_max_length(), "tokenizer_config.json: model_max_length");
  // The file that lowered the limit is named even where it says the same as the positions.
  if (config.max_seq_length == limit.tokens) limit.from = config.max_length_from;
  return limit;
}

}  // namespace

TransformerConfig read_transformer_config(const std::filesystem::path& transformer,
                                          TransformerTask task) {
  const auto config = read_optional_json(transformer / "sentence_bert_config.json");
  if (!config) return {};
  const JsonNode root = config->root();
  const Names& names = names_of(task);
  refuse_value(*config, root, "transformer_task", names.task);
  refuse_value(*config, root, "module_output_name", names.output);
  if (const auto modalities = root.find("modality_config"); modalities && !modalities->is_null()) {
    const JsonNode text = modalities->at("text");
    refuse_value(*config, text, "method", "forward");
    refuse_value(*config, text, "method_output_name", names.method_output);
  }
  refuse_processing(*config, root);
  return {.max_seq_length = root.get_limit("max_seq_length"),
          .lower_case = root.get_bool("do_lower_case", false)};
}

std::optional<LengthLimit> read_length(JsonNode root, const char* file, const char* field) {
  const auto node = find_value(root, field);
  if (!node) return std::nullopt;
  return LengthLimit{node->as_int64(1, INT64_MAX), cat(file, ": ", field)};
}

LengthLimit choose_length_limit(const std::filesystem::path& transformer,
                                const TransformerConfig& config, int64_t positions,
                                const Tokenizer& tokenizer, int64_t asked) {
  const LengthLimit limit = model_limit(config, positions, tokenizer);
  const auto least = static_cast<int64_t>(tokenizer.special_tokens());
  if (limit.tokens < 1 || limit.tokens < least)
    fail(ErrorCode::format, transformer.string(), ": ", limit.from, ": ", limit.tokens,
         " tokens leave no room for the ", least, " special tokens");
  if (asked == 0) return limit;
  if (asked < 0 || asked < least)
    fail(ErrorCode::invalid_argument, "max_length: expected at least ", least,
         ", the number of special tokens, found ", asked);
  if (asked > limit.tokens)
    fail(ErrorCode::limit, "max_length: ", asked, " asked for, ", limit.tokens,
         " allowed by the model (", limit.from, ")");
  return {asked, "options"};
}

}  // namespace headway
