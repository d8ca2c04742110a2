// Reading query_expansion.
#include "engine/embed/query_expansion.hpp"

#include "engine/base/message.hpp"
#include "engine/models/config.hpp"

namespace headway {
namespace {

int32_t named_token(JsonNode config, const Tokenizer& tokenizer) {
  if (const auto name = find_value(config, "token")) {
    const auto id = tokenizer.token_to_id(name->as_string());
    if (!id) name->refuse(cat("the tokenizer has no token \"", name->as_string(), "\""));
    return *id;
  }
  return expansion_token(tokenizer);
}

}  // namespace

int32_t expansion_token(const Tokenizer& tokenizer) {
  for (const char* role : {"mask_token", "eos_token"})
    if (const auto id = tokenizer.special_token(role)) return *id;
  fail(
      ErrorCode::format,
      "tokenizer_config.json: expected a mask_token or an eos_token to fill queries up with, found "
      "neither");
}

std::optional<QueryExpansion> read_query_expansion(JsonNode config, const Tokenizer& tokenizer,
                                                   int64_t positions) {
  const auto found = find_value(config, "query_expansion");
  if (!found) return std::nullopt;
  for (const JsonNode member : found->members())
    if (const std::string_view key = member.key();
        key != "strategy" && key != "attend" && key != "token" && key != "length")
      member.refuse("is not known; known: strategy, attend, token, length", ErrorCode::unsupported);
  const JsonNode strategy = found->at("strategy");
  if (strategy.as_string() != "fixed" && strategy.as_string() != "min")
    strategy.refuse(cat("\"", strategy.as_string(), "\" is not supported; known: fixed, min"),
                    ErrorCode::unsupported);
  return QueryExpansion{.length = found->at("length").as_int64(1, positions),
                        .fixed = strategy.as_string() == "fixed",
                        .attend = found->get_bool("attend", false),
                        .token = named_token(*found, tokenizer)};
}

}  // namespace headway
