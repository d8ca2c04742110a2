// Reading the configuration files; each may be missing.
#include "engine/text/tokenizer_config.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <unordered_set>

#include "engine/base/message.hpp"
#include "engine/formats/json.hpp"
#include "engine/text/tokenizer_json.hpp"
#include "engine/text/vocabulary.hpp"

namespace headway {
namespace {

// In the order in which transformers adds them to the vocabulary.
constexpr std::string_view kRoles[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                       "pad_token", "cls_token", "mask_token"};

template <typename Range>
bool contains(const Range& range, std::string_view name) {
  return std::find(std::begin(range), std::end(range), name) != std::end(range);
}

std::optional<Json> read_if_there(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  Json json = Json::read_file(path.string());
  if (!json.root().is_object()) json.root().refuse("expected an object");
  return json;
}

// A special token is written as its text or as an object with flags.
AddedToken read_special(const JsonNode& node) {
  if (node.is_object()) {
    AddedToken token = read_added_token(node, true);
    token.special = true;
    return token;
  }
  AddedToken token;
  token.content = node.as_string();
  token.special = true;
  check_token(node, token.content);
  return token;
}

void read_named(const JsonNode& root, TokenizerConfig& config) {
  for (const std::string_view role : kRoles)
    if (const auto node = root.find(role); node && !node->is_null())
      config.name(role, read_special(*node));
  // Tokens of the model's own: any other key of this form.
  for (const JsonNode node : root.members())
    if (node.key().ends_with("_token") && !contains(kRoles, node.key()) &&
        (node.is_string() || node.is_object()))
      config.name(node.key(), read_special(node));
  for (const char* list : {"additional_special_tokens", "extra_special_tokens"}) {
    const auto node = root.find(list);
    if (!node || node->is_null()) continue;
    if (node->is_object()) {  // role: token
      for (const JsonNode entry : node->members()) config.name(entry.key(), read_special(entry));
    } else {
      for (const JsonNode entry : node->elements()) {
        AddedToken token = read_special(entry);
        const std::string role = token.content;  // has no role, and is listed once
        config.name(role, std::move(token));
      }
    }
  }
}

void read_decoder(const JsonNode& decoder, TokenizerConfig& config) {
  std::vector<AddedToken>& tokens = config.added_tokens.emplace();
  for (const JsonNode entry : decoder.members()) {
    AddedToken token = read_added_token(entry, false);
    const std::string_view key = entry.key();
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), token.id);
    if (error != std::errc() || end != key.data() + key.size() || token.id < 0 ||
        token.id > kMaxTokenId)
      entry.refuse(cat("expected an id from 0 to ", kMaxTokenId, " as the key"));
    tokens.push_back(std::move(token));
  }
  std::sort(tokens.begin(), tokens.end(),
            [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
}

void read_main(const Json& json, TokenizerConfig& config) {
  const JsonNode root = json.root();
  config.class_name = root.get_string("tokenizer_class", "");
  config.do_lower_case = root.get_bool("do_lower_case", true);
  config.keep_accents = root.get_bool("keep_accents", false);
  if (const auto node = root.find("strip_accents"); node && !node->is_null())
    config.strip_accents = node->as_bool();
  config.tokenize_chinese_chars = root.get_bool("tokenize_chinese_chars", true);
  if (const auto node = root.find("add_prefix_space"); node && !node->is_null())
    config.add_prefix_space = node->as_bool();
  config.trim_offsets = root.get_bool("trim_offsets", true);
  config.adds_ends = root.contains("add_bos_token") || root.contains("add_eos_token");
  if (const auto node = root.find("model_max_length"); node && !node->is_null()) {
    // Python writes "no limit" as the integer 10^30, sometimes as a float.
    if (node->is_integer()) {
      config.model_max_length = node->as_int64(1, INT64_MAX);
    } else if (node->as_double() < 1e18) {
      node->refuse("expected an integer");
    }
  }
  if (const auto side = root.find("truncation_side"); side && !side->is_null())
    config.truncation_side = read_truncation_side(*side, "left", "right");
  if (root.get_bool("split_special_tokens", false))
    fail(ErrorCode::unsupported, json.name(),
         ": field \"split_special_tokens\": true is not supported; EncodeOptions has "
         "encode_special_tokens instead");
  if (const auto decoder = root.find("added_tokens_decoder"); decoder && !decoder->is_null())
    read_decoder(*decoder, config);
  read_named(root, config);
}

}  // namespace

const AddedToken* TokenizerConfig::find(std::string_view role) const {
  const auto place = places.find(std::string(role));
  return place == places.end() ? nullptr : &named[place->second].token;
}

void TokenizerConfig::name(std::string_view role, AddedToken token) {
  const auto [place, added] = places.emplace(role, named.size());
  if (added) {
    named.push_back({place->first, std::move(token)});
  } else {
    named[place->second].token = std::move(token);
  }
}

TokenizerConfig read_tokenizer_config(const std::filesystem::path& directory) {
  TokenizerConfig config;
  if (const auto json = read_if_there(directory / "tokenizer_config.json"))
    read_main(*json, config);
  if (!config.added_tokens) {
    if (const auto json = read_if_there(directory / "special_tokens_map.json"))
      read_named(json->root(), config);
    if (const auto json = read_if_there(directory / "added_tokens.json")) {
      std::unordered_set<std::string_view> special;
      for (const NamedToken& named : config.named) special.insert(named.token.content);
      for (const JsonNode entry : json->root().members()) {
        AddedToken token;
        token.content = entry.key();
        check_token(entry, token.content);
        token.id = static_cast<int32_t>(entry.as_int64(0, kMaxTokenId));
        token.special = special.contains(token.content);
        token.normalized = !token.special;
        config.legacy_tokens.push_back(std::move(token));
      }
    }
  }
  if (!config.class_name.empty()) config.class_source = "tokenizer_config.json: tokenizer_class";
  std::string model_type;
  if (const auto json = read_if_there(directory / "config.json")) {
    model_type = json->root().get_string("model_type", "");
    if (config.class_name.empty()) {
      config.class_name = json->root().get_string("tokenizer_class", "");
      config.class_source =
          config.class_name.empty() ? "config.json: model_type" : "config.json: tokenizer_class";
    }
  }
  config.tokenizer_class = find_tokenizer_class(config.class_name, model_type, directory.string());
  if (config.tokenizer_class == TokenizerClass::of_the_file && config.adds_ends)
    fail(ErrorCode::unsupported, directory.string(),
         ": add_bos_token and add_eos_token of tokenizer_config.json are not supported");
  return config;
}

}  // namespace headway
