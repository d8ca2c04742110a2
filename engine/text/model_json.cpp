// The models of tokenizer.json.
#include <limits>

#include "engine/base/message.hpp"
#include "engine/text/tokenizer_json.hpp"

namespace headway {
namespace {

// {token: id}
void read_vocabulary(const JsonNode& node, TokenizerParts& parts) {
  for (const JsonNode entry : node.members()) {
    const auto id = static_cast<int32_t>(entry.as_int64(0, kMaxTokenId));
    if (entry.key().empty()) {
      parts.empty_token = id;
      continue;
    }
    check_token(entry, entry.key());
    if (parts.vocabulary.add(entry.key(), id) != Vocabulary::Added::yes)
      entry.refuse(cat("id ", id, " belongs to \"", *parts.vocabulary.token(id), "\" already"));
  }
  if (parts.vocabulary.size() == 0) node.refuse("the vocabulary is empty");
}

int32_t read_known(const JsonNode& node, std::string_view token, const TokenizerParts& parts) {
  const std::optional<int32_t> id = token.empty() ? std::nullopt : parts.vocabulary.find(token);
  if (!id) node.refuse(cat("\"", token, "\" is not in the vocabulary (model.vocab)"));
  return *id;
}

WordPieceOptions read_word_piece(const JsonNode& node, TokenizerParts& parts) {
  WordPieceOptions options;
  options.prefix = node.at("continuing_subword_prefix").as_string();
  options.max_word_chars = static_cast<size_t>(
      node.at("max_input_chars_per_word").as_int64(0, std::numeric_limits<int64_t>::max()));
  read_vocabulary(node.at("vocab"), parts);
  const JsonNode unknown = node.at("unk_token");
  options.unknown = read_known(unknown, unknown.as_string(), parts);
  return options;
}

// "left right", or a list of the two.
BpeOptions::Merge read_merge(const JsonNode& node, const std::string& prefix,
                             const TokenizerParts& parts) {
  std::string_view left, right;
  if (node.is_string()) {
    const std::string_view pair = node.as_string();
    const size_t space = pair.find(' ');
    if (space == std::string_view::npos || pair.find(' ', space + 1) != std::string_view::npos)
      node.refuse("expected two tokens with a space between them");
    left = pair.substr(0, space);
    right = pair.substr(space + 1);
  } else {
    if (node.size() != 2) node.refuse("expected two tokens");
    left = node[0].as_string();
    right = node[1].as_string();
  }
  if (!right.starts_with(prefix)) node.refuse(cat("expected \"", prefix, "\" before the second"));
  const std::string joined = cat(left, right.substr(prefix.size()));
  return {read_known(node, left, parts), read_known(node, right, parts),
          read_known(node, joined, parts)};
}

BpeOptions read_bpe(const Json& json, const JsonNode& node, TokenizerParts& parts) {
  BpeOptions options;
  if (node.get_double("dropout", 0) != 0)
    fail(ErrorCode::unsupported, json.name(), ": field \"", node.at("dropout").path(),
         "\": dropout is not supported: it makes ids random");
  options.prefix = node.get_string("continuing_subword_prefix", "");
  options.suffix = node.get_string("end_of_word_suffix", "");
  options.fuse_unknown = node.get_bool("fuse_unk", false);
  options.byte_fallback = node.get_bool("byte_fallback", false);
  options.whole_words_first = node.get_bool("ignore_merges", false);
  read_vocabulary(node.at("vocab"), parts);
  if (const auto unknown = node.find("unk_token"); unknown && !unknown->is_null())
    options.unknown = read_known(*unknown, unknown->as_string(), parts);
  const JsonNode merges = node.at("merges");
  options.merges.reserve(merges.size());
  for (const JsonNode merge : merges.elements()) {
    // A merges.txt that was copied in whole.
    if (merge.is_string() && merge.as_string().starts_with("#version")) continue;
    options.merges.push_back(read_merge(merge, options.prefix, parts));
  }
  return options;
}

UnigramOptions read_unigram(const JsonNode& node, TokenizerParts& parts) {
  UnigramOptions options;
  options.byte_fallback = node.get_bool("byte_fallback", false);
  const JsonNode vocabulary = node.at("vocab");
  if (vocabulary.size() == 0) vocabulary.refuse("the vocabulary is empty");
  if (vocabulary.size() > static_cast<size_t>(kMaxTokenId))
    vocabulary.refuse(cat("expected at most ", kMaxTokenId, " tokens"));
  for (const JsonNode entry : vocabulary.elements()) {
    if (entry.size() != 2) entry.refuse("expected a token and its score");
    const std::string_view token = entry[0].as_string();
    check_token(entry, token);
    const auto id = static_cast<int32_t>(options.scores.size());
    if (parts.vocabulary.add(token, id) != Vocabulary::Added::yes)
      entry.refuse(cat("the token \"", token, "\" is there twice"));
    options.scores.push_back(entry[1].as_double());
  }
  if (const auto unknown = node.find("unk_id"); unknown && !unknown->is_null())
    options.unknown =
        static_cast<int32_t>(unknown->as_int64(0, static_cast<int64_t>(options.scores.size()) - 1));
  return options;
}

}  // namespace

void read_model(const Json& json, const JsonNode& node, TokenizerParts& parts) {
  // Files of before 2020 have no type; only WordPiece has this field.
  const bool old_wordpiece = !node.contains("type") && node.contains("max_input_chars_per_word");
  const std::string_view type = old_wordpiece ? "WordPiece" : node.at("type").as_string();
  if (type == "WordPiece") {
    parts.model = read_word_piece(node, parts);
  } else if (type == "BPE") {
    parts.model = read_bpe(json, node, parts);
  } else if (type == "Unigram") {
    parts.model = read_unigram(node, parts);
  } else {
    refuse_component(json, node.at("type"), type, "WordPiece, BPE, Unigram");
  }
}

}  // namespace headway
