// Puts the files of a model directory together as transformers 5.24 does.
#include "engine/text/tokenizer_parts.hpp"

#include <algorithm>

#include "engine/base/message.hpp"
#include "engine/formats/json.hpp"
#include "engine/platform/file.hpp"
#include "engine/text/tokenizer_config.hpp"
#include "engine/text/tokenizer_json.hpp"
#include "engine/text/vocab_txt.hpp"

namespace headway {
namespace {

AddedToken special_token(std::string_view content) {
  AddedToken token;
  token.content = content;
  token.special = true;
  return token;
}

// BertTokenizer has names for five tokens when the files give none.
void add_bert_defaults(TokenizerConfig& config) {
  constexpr std::pair<const char*, const char*> kDefaults[] = {{"unk_token", "[UNK]"},
                                                               {"sep_token", "[SEP]"},
                                                               {"pad_token", "[PAD]"},
                                                               {"cls_token", "[CLS]"},
                                                               {"mask_token", "[MASK]"}};
  for (const auto& [role, content] : kDefaults)
    if (!config.find(role)) config.named.push_back({role, special_token(content)});
}

// The tokens in the order in which transformers adds them; those that only a config names have no
// id yet (-1).
std::vector<AddedToken> list_added_tokens(const TokenizerParts& parts,
                                          const TokenizerConfig& config) {
  std::vector<AddedToken> list;
  const auto find = [&list](std::string_view content) {
    return std::find_if(list.begin(), list.end(),
                        [&](const AddedToken& token) { return token.content == content; });
  };
  // BertTokenizer rebuilds the tokenizer from its vocabulary, and with added_tokens_decoder there
  // it does not look at tokenizer.json's list.
  if (!config.bert_class || !config.added_tokens) list = parts.added_tokens;
  for (const auto* more :
       {config.added_tokens ? &*config.added_tokens : nullptr, &config.legacy_tokens}) {
    if (!more) continue;
    for (const AddedToken& token : *more) {
      const auto known = find(token.content);
      if (known == list.end()) {
        list.push_back(token);
      } else {
        *known = token;
      }
    }
  }
  for (const NamedToken& named : config.named) {
    if (find(named.token.content) != list.end()) continue;
    list.push_back(named.token);
    list.back().id = -1;
  }
  return list;
}

// Gives each token the id the library gives it: the vocabulary's, or the next free one. A file that
// says otherwise contradicts itself.
void resolve_ids(TokenizerParts& parts, std::vector<AddedToken> list) {
  int32_t last = -1;
  const auto size = static_cast<int32_t>(parts.vocabulary.size() + parts.has_empty_token);
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

// The special tokens of a vocab.txt: [CLS] text [SEP], by the names in the config.
void surround(TokenizerParts& parts, const TokenizerConfig& config) {
  for (const auto& [role, ids] :
       {std::pair{"cls_token", &parts.before}, std::pair{"sep_token", &parts.after}}) {
    const std::string& content = config.find(role)->content;
    const std::optional<int32_t> id = parts.vocabulary.find(content);
    if (!id)
      fail(ErrorCode::format, parts.file, ": the ", role, " \"", content,
           "\" is not in the vocabulary");
    *ids = {*id};
  }
}

}  // namespace

TokenizerParts read_tokenizer(const std::filesystem::path& directory) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error))
    fail(ErrorCode::not_found, directory.string(), ": expected a model directory");
  TokenizerConfig config = read_tokenizer_config(directory);
  const std::filesystem::path json_path = directory / "tokenizer.json";
  const std::filesystem::path vocab_path = directory / "vocab.txt";

  TokenizerParts parts;
  if (std::filesystem::exists(json_path, error)) {
    if (config.bert_class) add_bert_defaults(config);
    read_tokenizer_json(Json::read_file(json_path.string()), parts);
  } else if (std::filesystem::exists(vocab_path, error)) {
    if (!config.bert_class && !config.class_name.empty())
      fail(ErrorCode::unsupported, directory.string(), ": tokenizer_class ", config.class_name,
           " without a tokenizer.json; only BERT's own classes read vocab.txt");
    config.bert_class = true;
    add_bert_defaults(config);
    parts.unknown_token = config.find("unk_token")->content;
    parts.normalizer.clean_text = true;
    read_vocab_txt(vocab_path, parts);
    surround(parts, config);
  } else {
    fail(ErrorCode::not_found, directory.string(), ": no tokenizer.json and no vocab.txt");
  }

  if (config.bert_class) {
    parts.normalizer.lowercase = config.do_lower_case;
    parts.normalizer.strip_accents = config.strip_accents.value_or(config.do_lower_case);
    parts.normalizer.handle_chinese_chars = config.tokenize_chinese_chars;
  }
  resolve_ids(parts, list_added_tokens(parts, config));
  parts.model_max_length = config.model_max_length;
  return parts;
}

}  // namespace headway
