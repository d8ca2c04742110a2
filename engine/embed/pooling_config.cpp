// Reading the pooling module's config.json, in both of its forms.
#include <string>

#include "engine/base/message.hpp"
#include "engine/embed/pipeline.hpp"
#include "engine/formats/json.hpp"

namespace headway {
namespace {

// The flags of sentence-transformers before 6.0, and the names of the modes since.
struct Mode {
  const char* flag;
  const char* name;
};
constexpr Mode kModes[] = {
    {"pooling_mode_cls_token", "cls"},
    {"pooling_mode_max_tokens", "max"},
    {"pooling_mode_mean_tokens", "mean"},
    {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens"},
    {"pooling_mode_weightedmean_tokens", "weightedmean"},
    {"pooling_mode_lasttoken", "lasttoken"},
};

// The chosen modes, with ", " between them: one name when all is well. The reference joins the
// vectors of several.
std::string chosen_modes(JsonNode config) {
  std::string chosen;
  const auto choose = [&](std::string_view name) {
    if (!chosen.empty()) chosen += ", ";
    chosen += name;
  };
  const auto modes = config.find("pooling_mode");
  if (modes && modes->is_array()) {
    for (const JsonNode mode : modes->elements()) choose(mode.as_string());
  } else if (modes && !modes->is_null()) {
    choose(modes->as_string());
  } else {
    for (const Mode& mode : kModes)
      if (config.get_bool(mode.flag, false)) choose(mode.name);
  }
  return chosen;
}

}  // namespace

Pooling read_pooling(const std::filesystem::path& path, int64_t dim) {
  const Json config = Json::read_file(path.string());
  const JsonNode root = config.root();
  const JsonNode width = root.contains("word_embedding_dimension")
                             ? root.at("word_embedding_dimension")
                             : root.at("embedding_dimension");
  if (width.as_int64() != dim)
    width.refuse(
        cat("expected ", dim, ", the hidden_size of the transformer, found ", width.as_int64()));

  const std::string chosen = chosen_modes(root);
  if (chosen == "mean") return Pooling::mean;
  if (chosen == "cls") return Pooling::cls;
  if (chosen.empty())
    root.refuse(
        "no pooling mode is chosen: neither \"pooling_mode\" nor a flag \"pooling_mode_*\"");
  fail(ErrorCode::unsupported, config.name(), ": pooling mode \"", chosen,
       "\" is not supported; known: mean or cls alone");
}

}  // namespace headway
