// Reading the pooling module's config.json, in both of its forms.
#include "engine/embed/pooling_config.hpp"

#include <algorithm>

#include "engine/base/message.hpp"
#include "engine/formats/json.hpp"

namespace headway {
namespace {

// The flags of sentence-transformers before 6.0, in the order in which it joins the vectors of
// several, and the names of the modes since.
struct Mode {
  const char* flag;
  const char* name;
  Pooling kind;
};
constexpr Mode kModes[] = {
    {"pooling_mode_cls_token", "cls", Pooling::cls},
    {"pooling_mode_max_tokens", "max", Pooling::max},
    {"pooling_mode_mean_tokens", "mean", Pooling::mean},
    {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", Pooling::mean_sqrt_len},
    {"pooling_mode_weightedmean_tokens", "weightedmean", Pooling::weighted_mean},
    {"pooling_mode_lasttoken", "lasttoken", Pooling::last_token},
};

void choose(const Mode& mode, PoolingConfig& pooling) {
  pooling.kinds.push_back(mode.kind);
  pooling.names += cat(pooling.names.empty() ? "" : " + ", mode.name);
}

void choose(const Json& config, JsonNode field, PoolingConfig& pooling) {
  const std::string_view name = field.as_string();
  std::string known;
  for (const Mode& mode : kModes) {
    if (mode.name == name) return choose(mode, pooling);
    known += cat(known.empty() ? "" : ", ", mode.name);
  }
  fail(ErrorCode::unsupported, config.name(), ": field \"", field.path(), "\": pooling mode \"",
       name, "\" is not supported; known: ", known);
}

}  // namespace

PoolingConfig read_pooling(const std::filesystem::path& path, int64_t dim) {
  const Json config = Json::read_file(path.string());
  const JsonNode root = config.root();
  const JsonNode width = root.contains("word_embedding_dimension")
                             ? root.at("word_embedding_dimension")
                             : root.at("embedding_dimension");
  if (width.as_int64() != dim)
    width.refuse(cat("expected ", dim, ", the width of the tokens, found ", width.as_int64()));

  PoolingConfig pooling;
  pooling.include_prompt = root.get_bool("include_prompt", true);
  const auto modes = root.find("pooling_mode");
  if (modes && modes->is_array()) {
    if (modes->size() == 0) modes->refuse("expected a pooling mode, found none");
    for (const JsonNode mode : modes->elements()) choose(config, mode, pooling);
  } else if (modes && !modes->is_null()) {
    choose(config, *modes, pooling);
  } else {
    for (const Mode& mode : kModes)
      if (root.get_bool(mode.flag, false)) choose(mode, pooling);
    // As the reference has it, also where no flag is set.
    if (pooling.kinds.empty()) pooling = {{Pooling::mean}, "mean", pooling.include_prompt};
  }
  return pooling;
}

}  // namespace headway
