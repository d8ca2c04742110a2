// The top of tokenizer.json.
#include "engine/text/tokenizer_json.hpp"

#include <unordered_set>

#include "engine/base/message.hpp"

namespace headway {
namespace {

// A component (an object with a "type"), or nothing when it is missing or null.
std::optional<JsonNode> component(const JsonNode& root, const char* name) {
  const std::optional<JsonNode> node = root.find(name);
  if (!node || node->is_null()) return std::nullopt;
  return node;
}

}  // namespace

void refuse_component(const Json& json, const JsonNode& node, std::string_view what,
                      const char* supported) {
  fail(ErrorCode::unsupported, json.name(), ": field \"", node.path(), "\": \"", what,
       "\" is not supported; supported: ", supported);
}

void check_token(const JsonNode& node, std::string_view token) {
  if (token.empty()) node.refuse("expected a token, found nothing");
  if (token.size() > kMaxTokenBytes)
    node.refuse(cat("a token of more than ", kMaxTokenBytes, " bytes"), ErrorCode::limit);
}

Pattern read_pattern(const Json& json, const JsonNode& node) {
  if (const auto regex = node.find("Regex"))
    return Pattern::regex(regex->as_string(), cat(json.name(), ": field \"", regex->path(), "\""));
  const JsonNode text = node.at("String");
  if (text.as_string().empty()) text.refuse("expected a text, found nothing");
  if (text.as_string().size() > Pattern::kMaxBytes)
    text.refuse(cat("a pattern of more than ", Pattern::kMaxBytes, " bytes is not supported"),
                ErrorCode::unsupported);
  return Pattern::literal(text.as_string());
}

TruncationSide read_truncation_side(const JsonNode& node, std::string_view left,
                                    std::string_view right) {
  if (node.as_string() == left) return TruncationSide::left;
  if (node.as_string() != right) node.refuse(cat("expected \"", left, "\" or \"", right, "\""));
  return TruncationSide::right;
}

AddedToken read_added_token(const JsonNode& node, bool special) {
  AddedToken token;
  token.content = node.at("content").as_string();
  check_token(node.at("content"), token.content);
  token.special = node.get_bool("special", special);
  token.single_word = node.get_bool("single_word", false);
  token.lstrip = node.get_bool("lstrip", false);
  token.rstrip = node.get_bool("rstrip", false);
  token.normalized = node.get_bool("normalized", !token.special);
  return token;
}

void read_tokenizer_json(const Json& json, TokenizerParts& parts) {
  const JsonNode root = json.root();
  parts.file = json.name();
  read_model(json, root.at("model"), parts);
  if (const auto node = component(root, "normalizer"))
    read_normalizer(json, *node, parts.normalizers);
  if (const auto node = component(root, "pre_tokenizer"))
    read_pre_tokenizer(json, *node, parts.pre_tokenizers);
  if (const auto added = component(root, "added_tokens")) {
    std::unordered_set<std::string_view> contents;
    for (const JsonNode entry : added->elements()) {
      AddedToken token = read_added_token(entry, false);
      token.id = static_cast<int32_t>(entry.at("id").as_int64(0, kMaxTokenId));
      if (!contents.insert(entry.at("content").as_string()).second)
        entry.at("content").refuse(cat("the token \"", token.content, "\" is there twice"));
      parts.added_tokens.push_back(std::move(token));
    }
  }
  if (const auto node = component(root, "post_processor")) read_post_processor(json, *node, parts);
  if (const auto node = component(root, "decoder"))
    read_decoder(json, *node, parts.decoders.emplace());
  if (const auto node = component(root, "truncation")) {
    if (const auto side = node->find("direction"))
      parts.truncation_side = read_truncation_side(*side, "Left", "Right");
  }
}

}  // namespace headway
