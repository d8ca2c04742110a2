// What transformers reads beside the vocabulary: tokenizer_config.json, special_tokens_map.json,
// added_tokens.json, config.json (behaviour of transformers 5.24).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/text/added_tokens.hpp"
#include "engine/text/tokenizer_class.hpp"
#include "headway/tokenizer.hpp"

namespace headway {

// A token that a config names by its role.
struct NamedToken {
  std::string role;  // "cls_token"
  AddedToken token;  // its id is not known yet
};

struct TokenizerConfig {
  std::string class_name;  // tokenizer_class; empty when no file says
  TokenizerClass tokenizer_class = TokenizerClass::of_the_file;
  std::string class_source;  // file and field that chose it; empty when no file does
  // For classes that make their tokenizer anew.
  std::optional<bool> add_prefix_space;
  bool trim_offsets = true;
  bool do_lower_case = true;
  bool keep_accents = false;
  std::optional<bool> strip_accents;
  bool tokenize_chinese_chars = true;
  bool adds_ends = false;  // add_bos_token or add_eos_token is there
  std::optional<int64_t> model_max_length;
  std::optional<TruncationSide> truncation_side;
  // added_tokens_decoder, by id; nothing when there is none.
  std::optional<std::vector<AddedToken>> added_tokens;
  std::vector<AddedToken> legacy_tokens;  // added_tokens.json; read only without the above
  std::vector<NamedToken> named;          // in the order in which transformers adds them

  const AddedToken* find(std::string_view role) const;
  // Adds a named token, or puts it in place of the one that has the role.
  void name(std::string_view role, AddedToken token);

  std::unordered_map<std::string, size_t> places;  // in `named`, by role
};

TokenizerConfig read_tokenizer_config(const std::filesystem::path& directory);

}  // namespace headway
