// The components of tokenizer.json that are supported: one function each.
#include "engine/text/tokenizer_json.hpp"

#include <limits>

#include "engine/base/message.hpp"

namespace headway {
namespace {

[[noreturn]] void unsupported(const Json& json, const JsonNode& node, std::string_view what,
                              const char* expected) {
  fail(ErrorCode::unsupported, json.name(), ": field \"", node.path(), "\": \"", what,
       "\" is not supported; supported: ", expected);
}

// A component (an object with a "type"), or nothing when it is missing or null.
std::optional<JsonNode> component(const JsonNode& root, const char* name) {
  const std::optional<JsonNode> node = root.find(name);
  if (!node || node->is_null()) return std::nullopt;
  return node;
}

void read_model(const Json& json, TokenizerParts& parts) {
  const JsonNode model = json.root().at("model");
  // Files of before 2020 have no type; only WordPiece has this field.
  const bool old_wordpiece = !model.contains("type") && model.contains("max_input_chars_per_word");
  if (!old_wordpiece) {
    const std::string_view type = model.at("type").as_string();
    if (type != "WordPiece") unsupported(json, model.at("type"), type, "WordPiece");
  }
  parts.unknown_token = model.at("unk_token").as_string();
  parts.prefix = model.at("continuing_subword_prefix").as_string();
  parts.max_word_chars = static_cast<size_t>(
      model.at("max_input_chars_per_word").as_int64(0, std::numeric_limits<int64_t>::max()));

  const JsonNode vocabulary = model.at("vocab");
  for (const JsonNode entry : vocabulary.members()) {
    const auto id = static_cast<int32_t>(entry.as_int64(0, kMaxTokenId));
    if (entry.key().empty()) {
      parts.has_empty_token = true;
      continue;
    }
    if (parts.vocabulary.add(entry.key(), id) != Vocabulary::Added::yes)
      entry.refuse(cat("id ", id, " belongs to \"", *parts.vocabulary.token(id), "\" already"));
  }
  if (parts.vocabulary.size() == 0) vocabulary.refuse("the vocabulary is empty");
  if (!parts.vocabulary.find(parts.unknown_token))
    model.at("unk_token")
        .refuse(cat("\"", parts.unknown_token, "\" is not in the vocabulary (model.vocab)"));
}

void read_normalizer(const Json& json, TokenizerParts& parts) {
  const std::optional<JsonNode> node = component(json.root(), "normalizer");
  if (!node) return;
  const std::string_view type = node->at("type").as_string();
  if (type != "BertNormalizer") unsupported(json, node->at("type"), type, "BertNormalizer");
  parts.normalizer.clean_text = node->at("clean_text").as_bool();
  parts.normalizer.handle_chinese_chars = node->at("handle_chinese_chars").as_bool();
  parts.normalizer.lowercase = node->at("lowercase").as_bool();
  parts.normalizer.strip_accents = node->get_bool("strip_accents", parts.normalizer.lowercase);
}

void read_pre_tokenizer(const Json& json) {
  const std::optional<JsonNode> node = component(json.root(), "pre_tokenizer");
  if (!node)
    fail(ErrorCode::unsupported, json.name(),
         ": field \"pre_tokenizer\": none is not supported; supported: BertPreTokenizer");
  const std::string_view type = node->at("type").as_string();
  if (type != "BertPreTokenizer") unsupported(json, node->at("type"), type, "BertPreTokenizer");
}

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

void read_template(const Json& json, const JsonNode& processor, TokenizerParts& parts) {
  const JsonNode single = processor.at("single");
  const JsonNode specials = processor.at("special_tokens");
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
      (seen ? parts.after : parts.before).push_back(static_cast<int32_t>(id));
    }
  }
  if (!seen) single.refuse("expected sequence A");
}

void read_post_processor(const Json& json, TokenizerParts& parts) {
  const std::optional<JsonNode> node = component(json.root(), "post_processor");
  if (!node) return;
  const std::string_view type = node->at("type").as_string();
  if (type == "TemplateProcessing") {
    read_template(json, *node, parts);
  } else if (type == "BertProcessing") {
    parts.before = {read_pair(parts, node->at("cls"))};
    parts.after = {read_pair(parts, node->at("sep"))};
  } else {
    unsupported(json, node->at("type"), type, "TemplateProcessing, BertProcessing");
  }
}

}  // namespace

AddedToken read_added_token(const JsonNode& node, bool special) {
  AddedToken token;
  token.content = node.at("content").as_string();
  if (token.content.empty()) node.at("content").refuse("expected a token, found nothing");
  token.special = node.get_bool("special", special);
  token.single_word = node.get_bool("single_word", false);
  token.lstrip = node.get_bool("lstrip", false);
  token.rstrip = node.get_bool("rstrip", false);
  token.normalized = node.get_bool("normalized", !token.special);
  return token;
}

void read_tokenizer_json(const Json& json, TokenizerParts& parts) {
  parts.file = json.name();
  read_model(json, parts);
  read_normalizer(json, parts);
  read_pre_tokenizer(json);
  if (const auto added = component(json.root(), "added_tokens")) {
    for (const JsonNode entry : added->elements()) {
      AddedToken token = read_added_token(entry, false);
      token.id = static_cast<int32_t>(entry.at("id").as_int64(0, kMaxTokenId));
      for (const AddedToken& other : parts.added_tokens)
        if (other.content == token.content)
          entry.at("content").refuse(cat("the token \"", token.content, "\" is there twice"));
      parts.added_tokens.push_back(std::move(token));
    }
  }
  read_post_processor(json, parts);
}

}  // namespace headway
