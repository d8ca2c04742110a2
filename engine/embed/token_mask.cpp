// Reading MultiVectorMask's config.json, and looking ids up.
#include "engine/embed/token_mask.hpp"

#include <algorithm>

#include "engine/embed/optional_json.hpp"

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

TokenMask::TokenMask(const Module& module, const Tokenizer& tokenizer) {
  const auto config = read_optional_json(module.directory / "config.json");
  if (!config) return;
  const auto given = [&](const char* field) {
    const auto node = config->root().find(field);
    return node && !node->is_null() ? node : std::nullopt;
  };
  if (const auto words = given("skiplist_words"))
    for (const JsonNode word : words->elements())
      if (const auto id = tokenizer.token_to_id(word.as_string())) skipped_.push_back(*id);
  if (const auto tasks = given("skiplist_tasks"))
    read_tasks(*tasks, skips_queries_, skips_documents_);
  if (const auto ids = given("keep_only_token_ids"))
    for (const JsonNode id : ids->elements())
      kept_only_.push_back(static_cast<int32_t>(id.as_int64(0, INT32_MAX)));
  std::sort(skipped_.begin(), skipped_.end());
  std::sort(kept_only_.begin(), kept_only_.end());
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
