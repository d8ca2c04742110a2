// Reading MultiVectorMask's config.json, and looking ids up.
#include "engine/embed/token_mask.hpp"

#include <algorithm>

#include "engine/embed/optional_json.hpp"
#include "engine/models/config.hpp"

namespace headway {
namespace {

// "document", or a list of such names.
void read_tasks(JsonNode node, bool& queries, bool& documents) {
  queries = documents = false;
  const auto read = [&](JsonNode task) {
    queries = queries || task.as_string() == "query";
    documents = documents || task.as_string() == "document";
  };
  if (!node.is_array()) return read(node);
  for (const JsonNode task : node.elements()) read(task);
}

}  // namespace

TokenMask::TokenMask(const std::vector<std::string>& words, const Tokenizer& tokenizer) {
  for (const std::string& word : words) skip(word, tokenizer);
  std::sort(skipped_.begin(), skipped_.end());
}

TokenMask::TokenMask(const Module& module, const Tokenizer& tokenizer) {
  const auto config = read_optional_json(module.directory / "config.json");
  if (!config) return;
  const JsonNode root = config->root();
  if (const auto words = find_value(root, "skiplist_words"))
    for (const JsonNode word : words->elements()) skip(word.as_string(), tokenizer);
  if (const auto tasks = find_value(root, "skiplist_tasks"))
    read_tasks(*tasks, skips_queries_, skips_documents_);
  if (const auto ids = find_value(root, "keep_only_token_ids"))
    for (const JsonNode id : ids->elements())
      kept_only_.push_back(static_cast<int32_t>(id.as_int64(0, INT32_MAX)));
  std::sort(skipped_.begin(), skipped_.end());
  std::sort(kept_only_.begin(), kept_only_.end());
}

void TokenMask::skip(std::string_view word, const Tokenizer& tokenizer) {
  if (const auto id = tokenizer.token_to_id(word)) skipped_.push_back(*id);
}

bool TokenMask::keeps(int32_t id, TextKind kind) const {
  const bool query = kind == TextKind::query;
  const auto among = [id](const std::vector<int32_t>& ids) {
    return std::binary_search(ids.begin(), ids.end(), id);
  };
  if ((query ? skips_queries_ : skips_documents_) && among(skipped_)) return false;
  return query || kept_only_.empty() || among(kept_only_);
}

}  // namespace headway
