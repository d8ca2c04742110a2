// Looking for the tokens that prefixes stand for.
#include "engine/embed/prefix_tokens.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headway {
namespace {

// The part of a prefix that is a token, where the tokenizer would make something else of it.
std::optional<std::string> hidden_token(const std::string& prefix, const Tokenizer& tokenizer) {
  constexpr const char* kSpace = " \t\n\v\f\r";
  const size_t begin = prefix.find_first_not_of(kSpace);
  if (begin == std::string::npos) return std::nullopt;
  const size_t end = prefix.find_first_of(kSpace, begin);
  for (const std::string& token : {prefix, prefix.substr(begin, end - begin)}) {
    const auto id = tokenizer.token_to_id(token);
    if (!id) continue;
    const std::vector<int32_t> ids = tokenizer.encode(token, {.add_special_tokens = false}).ids;
    return ids == std::vector{*id} ? std::nullopt : std::optional(token);
  }
  return std::nullopt;
}

}  // namespace

void put_prefixes(const ColbertConfig& config, OpenedModel& opened) {
  std::vector<std::string> tokens;
  const auto put = [&](const std::string& prefix, const char* name) {
    std::string& prompt = opened.pipeline.prompts.by_name[name];
    if (!prompt.starts_with(prefix)) prompt.insert(0, prefix);
    if (auto token = hidden_token(prefix, opened.tokenizer)) tokens.push_back(std::move(*token));
  };
  put(config.query_prefix, "query");
  put(config.document_prefix, "document");
  if (tokens.empty()) return;
  opened.tokenizer = Tokenizer::open(
      opened.pipeline.transformer,
      {.lower_case = opened.config.lower_case, .special_tokens = std::move(tokens)});
}

}  // namespace headway
