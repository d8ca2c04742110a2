// Reading PyLate's fields and artifact.metadata, with the defaults that MultiVectorEncoder has for
// them.
#include "engine/embed/colbert_config.hpp"

#include <string_view>

#include "engine/embed/optional_json.hpp"
#include "engine/embed/prompts.hpp"
#include "engine/models/config.hpp"

namespace headway {
namespace {

// What the fields are called.
struct Names {
  const char *file, *query_prefix, *document_prefix, *query_length, *document_length, *attends;
};
constexpr Names kPylate{kPipelineConfig, "query_prefix",    "document_prefix",
                        "query_length",  "document_length", "attend_to_expansion_tokens"};
constexpr Names kStanford{"artifact.metadata", "query_token_id", "doc_token_id",
                          "query_maxlen",      "doc_maxlen",     "attend_to_mask_tokens"};

std::vector<std::string> punctuation() {
  std::vector<std::string> words;
  for (const char c : std::string_view("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"))
    words.emplace_back(1, c);
  return words;
}

ColbertConfig read_fields(JsonNode root, const Names& names) {
  ColbertConfig config;
  config.file = names.file;
  config.query_prefix = root.get_string(names.query_prefix, "");
  config.document_prefix = root.get_string(names.document_prefix, "");
  config.query_length = read_length(root, names.file, names.query_length);
  config.document_length = read_length(root, names.file, names.document_length);
  config.attends = root.get_bool(names.attends, false);
  config.skiplist_words = punctuation();
  return config;
}

ColbertConfig read_pylate(JsonNode root) {
  ColbertConfig config = read_fields(root, kPylate);
  config.expands = root.get_bool("do_query_expansion", true);
  if (const auto words = find_value(root, "skiplist_words")) {
    config.skiplist_words.clear();
    for (const JsonNode word : words->elements())
      config.skiplist_words.emplace_back(word.as_string());
  }
  return config;
}

ColbertConfig read_stanford(JsonNode root) {
  ColbertConfig config = read_fields(root, kStanford);
  if (config.query_prefix.empty()) config.query_prefix = "[unused0]";
  if (config.document_prefix.empty()) config.document_prefix = "[unused1]";
  config.query_prefix += ' ';
  config.document_prefix += ' ';
  if (!root.get_bool("mask_punctuation", true)) config.skiplist_words.clear();
  config.dim = root.contains("dim") ? root.at("dim").as_int64(1, 1 << 20) : 128;
  return config;
}

bool is_stanford(const std::filesystem::path& directory) {
  std::error_code ignored;
  if (std::filesystem::exists(directory / "modules.json", ignored)) return false;
  const auto config = read_optional_json(directory / "config.json");
  if (!config) return false;
  const auto architectures = find_value(config->root(), "architectures");
  if (!architectures || !architectures->is_array()) return false;
  for (const JsonNode name : architectures->elements())
    if (name.is_string() && name.as_string() == "HF_ColBERT") return true;
  return false;
}

}  // namespace

std::optional<ColbertConfig> read_colbert_config(const std::filesystem::path& directory) {
  if (const auto json = read_optional_json(directory / kPylate.file)) {
    const JsonNode root = json->root();
    const std::string_view type = root.get_string("model_type", "");
    if (type == "ColBERT" || (type != "MultiVectorEncoder" && root.contains(kPylate.query_prefix)))
      return read_pylate(root);
    if (!type.empty()) return std::nullopt;
  }
  if (!is_stanford(directory)) return std::nullopt;
  if (const auto json = read_optional_json(directory / kStanford.file))
    return read_stanford(json->root());
  return read_stanford(Json::parse("{}", kStanford.file).root());
}

}  // namespace headway
