// The post-processors of tokenizer.json: which special tokens stand around a text.
#include "engine/base/message.hpp"
#include "engine/text/tokenizer_json.hpp"

namespace headway {
namespace {

// A token that exists already, by its id; its text must be `token`.
void check_special(const TokenizerParts& parts, const JsonNode& node, int64_t id,
                   std::string_view token) {
  if (parts.vocabulary.find(token) == id) return;
  for (const AddedToken& added : parts.added_tokens)
    if (added.id == id && added.content == token) return;
  node.refuse(cat("the special token \"", token, "\" is not in the vocabulary with id ", id));
}

// [token, id], as BertProcessing writes it.
int32_t read_pair(const TokenizerParts& parts, const JsonNode& pair) {
  const int64_t id = pair[1].as_int64(0, kMaxTokenId);
  check_special(parts, pair, id, pair[0].as_string());
  return static_cast<int32_t>(id);
}

// In a sequence each processor puts its tokens around those of the one before.
void surround(TokenizerParts& parts, const std::vector<int32_t>& before,
              const std::vector<int32_t>& after) {
  parts.before.insert(parts.before.begin(), before.begin(), before.end());
  parts.after.insert(parts.after.end(), after.begin(), after.end());
}

void read_template(const Json& json, const JsonNode& processor, TokenizerParts& parts) {
  const JsonNode single = processor.at("single");
  const JsonNode specials = processor.at("special_tokens");
  std::vector<int32_t> before, after;
  bool seen = false;
  for (const JsonNode piece : single.elements()) {
    const std::optional<JsonNode> sequence = piece.find("Sequence");
    const JsonNode content = sequence ? *sequence : piece.at("SpecialToken");
    if (content.at("type_id").as_int64() != 0)
      fail(ErrorCode::unsupported, json.name(), ": field \"", content.path(),
           ".type_id\": only type 0 is supported for a single text");
    const std::string_view name = content.at("id").as_string();
    if (sequence) {
      if (name != "A" || seen) content.refuse("expected sequence A, once");
      seen = true;
      continue;
    }
    const JsonNode special = specials.at(name);
    const JsonNode ids = special.at("ids"), tokens = special.at("tokens");
    if (ids.size() != tokens.size()) special.refuse("expected as many ids as tokens");
    for (size_t i = 0; i < ids.size(); ++i) {
      const int64_t id = ids[i].as_int64(0, kMaxTokenId);
      check_special(parts, special, id, tokens[i].as_string());
      (seen ? after : before).push_back(static_cast<int32_t>(id));
    }
  }
  if (!seen) single.refuse("expected sequence A");
  surround(parts, before, after);
}

}  // namespace

void read_post_processor(const Json& json, const JsonNode& node, TokenizerParts& parts) {
  const std::string_view type = node.at("type").as_string();
  if (type == "Sequence") {
    for (const JsonNode part : node.at("processors").elements())
      read_post_processor(json, part, parts);
  } else if (type == "TemplateProcessing") {
    read_template(json, node, parts);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    surround(parts, {read_pair(parts, node.at("cls"))}, {read_pair(parts, node.at("sep"))});
  } else if (type != "ByteLevel") {  // which moves offsets only
    refuse_component(json, node.at("type"), type,
                     "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence");
  }
}

}  // namespace headway
