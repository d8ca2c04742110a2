// Puts the files of a model directory together as transformers 5.24 does.
#include "engine/text/tokenizer_parts.hpp"

#include <algorithm>
#include <unordered_map>

#include "engine/base/message.hpp"
#include "engine/formats/json.hpp"
#include "engine/platform/file.hpp"
#include "engine/text/tokenizer_config.hpp"
#include "engine/text/tokenizer_json.hpp"
#include "engine/text/vocab_txt.hpp"

namespace headway {
namespace {

// The tokens in the order in which transformers adds them; those that only a config names have no
// id yet (-1).
std::vector<AddedToken> list_added_tokens(const TokenizerParts& parts,
                                          const TokenizerConfig& config) {
  std::vector<AddedToken> list;
  std::unordered_map<std::string, size_t> places;  // by content
  // A class that makes the tokenizer anew does not look at tokenizer.json's list when
  // added_tokens_decoder is there.
  if (config.tokenizer_class == TokenizerClass::of_the_file || !config.added_tokens)
    list = parts.added_tokens;
  for (size_t i = 0; i < list.size(); ++i) places[list[i].content] = i;
  for (const auto* more :
       {config.added_tokens ? &*config.added_tokens : nullptr, &config.legacy_tokens}) {
    if (!more) continue;
    for (const AddedToken& token : *more) {
      const auto [place, added] = places.emplace(token.content, list.size());
      if (added) {
        list.push_back(token);
      } else {
        list[place->second] = token;
      }
    }
  }
  for (const NamedToken& named : config.named) {
    if (!places.emplace(named.token.content, list.size()).second) continue;
    list.push_back(named.token);
    list.back().id = -1;
  }
  return list;
}

// Gives each token the id the library gives it: the vocabulary's, or the next free one. A file that
// says otherwise contradicts itself.
void resolve_ids(TokenizerParts& parts, std::vector<AddedToken> list) {
  int32_t last = -1;
  const auto size = static_cast<int32_t>(parts.vocabulary.size() + parts.empty_token.has_value());
  std::vector<AddedToken> resolved;
  for (AddedToken& token : list) {
    const int32_t id = parts.vocabulary.find(token.content).value_or(std::max(last + 1, size));
    if (token.id >= 0 && token.id != id)
      fail(ErrorCode::format, parts.file, ": added token \"", token.content, "\": expected id ", id,
           ", found ", token.id);
    const auto other = parts.vocabulary.token(id);
    if (id > kMaxTokenId || (other && *other != token.content))
      fail(ErrorCode::format, parts.file, ": added token \"", token.content, "\": id ", id,
           " belongs to \"", other.value_or(""), "\" already");
    // In invalid text each bad sequence becomes U+FFFD; tokens are looked for before that.
    if (token.content.find("\xEF\xBF\xBD") != std::string::npos)
      fail(ErrorCode::unsupported, parts.file, ": added token \"", token.content,
           "\": U+FFFD in an added token is not supported");
    token.id = id;
    last = std::max(last, id);
    resolved.push_back(std::move(token));
  }
  parts.added_tokens = std::move(resolved);
}

TokenizerParts read_directory(const std::filesystem::path& directory) {
  std::error_code error;
  TokenizerConfig config = read_tokenizer_config(directory);
  const std::filesystem::path json_path = directory / "tokenizer.json";
  const std::filesystem::path vocab_path = directory / "vocab.txt";

  TokenizerParts parts;
  add_class_defaults(config);
  if (std::filesystem::exists(json_path, error)) {
    read_tokenizer_json(Json::read_file(json_path.string()), parts);
  } else if (std::filesystem::exists(vocab_path, error)) {
    if (config.tokenizer_class == TokenizerClass::of_the_file && config.class_name.empty()) {
      config.tokenizer_class = TokenizerClass::bert;
      add_class_defaults(config);
    }
    if (config.tokenizer_class != TokenizerClass::bert)
      fail(ErrorCode::unsupported, directory.string(), ": tokenizer_class ", config.class_name,
           " without a tokenizer.json; only BERT's own classes read vocab.txt");
    read_vocab_txt(vocab_path, config.find("unk_token")->content, parts);
  } else {
    fail(ErrorCode::not_found, directory.string(), ": no tokenizer.json and no vocab.txt");
  }
  parts.source = std::filesystem::path(parts.file).filename().string();
  if (config.tokenizer_class != TokenizerClass::of_the_file && !config.class_source.empty())
    parts.source += " for the vocabulary, " + config.class_source;
  rebuild(parts, config);
  resolve_ids(parts, list_added_tokens(parts, config));
  for (const NamedToken& named : config.named) parts.roles[named.role] = named.token.content;
  parts.model_max_length = config.model_max_length;
  parts.truncation_side = config.truncation_side.value_or(parts.truncation_side);
  return parts;
}

}  // namespace

void make_special(TokenizerParts& parts, const std::string& content) {
  AddedToken token;
  token.content = content;
  token.special = true;
  token.normalized = false;
  const auto there =
      std::find_if(parts.added_tokens.begin(), parts.added_tokens.end(),
                   [&](const AddedToken& added) { return added.content == content; });
  const auto id = there != parts.added_tokens.end() ? there->id : parts.vocabulary.find(content);
  if (!id)
    fail(ErrorCode::invalid_argument, "special_tokens: the tokenizer has no token \"", content,
         '"');
  token.id = *id;
  if (there != parts.added_tokens.end())
    *there = std::move(token);
  else
    parts.added_tokens.push_back(std::move(token));
}

void check_pair_template(const TokenizerParts& parts) {
  if (parts.post_processor.pair[0].empty())
    fail(ErrorCode::unsupported, parts.file,
         ": field \"post_processor\": its template for pairs does not hold each text once");
}

TokenizerParts read_tokenizer(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return read_directory(path);
  if (!std::filesystem::exists(path, error))
    fail(ErrorCode::not_found, path.string(), ": expected a model directory or a tokenizer.json");
  TokenizerParts parts;
  read_tokenizer_json(Json::read_file(path.string()), parts);
  resolve_ids(parts, std::move(parts.added_tokens));
  parts.source = path.filename().string();
  return parts;
}

}  // namespace headway
