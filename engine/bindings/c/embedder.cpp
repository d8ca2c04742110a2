// Embedders.
#include "headway/embedder.hpp"

#include <string_view>
#include <vector>

#include "engine/base/checked.hpp"
#include "engine/bindings/c/text_models.hpp"

HEADWAY_C_TEXT_MODEL(embedder, headway::Embedder)

namespace headway::c {
namespace {

void embed(const Embedder& embedder, headway_embed_request& request) {
  const headway_embed_request given = read_struct(&request, "request");
  EmbedOptions chosen = read_prompts(given.prompt, given.prompt_name);
  chosen.dimensions = given.dimensions;
  const size_t needed =
      checked_mul(given.count, static_cast<size_t>(embedder.dim_of(chosen)), "request.count");
  if (given.capacity < needed) throw BufferTooSmall{"request.capacity", needed, given.capacity};
  const std::vector<std::string_view> texts = read_texts(given.texts, given.count, "request.texts");
  if (given.count > 0) not_null(given.vectors, "request.vectors");
  const EmbedStats stats =
      embedder.embed(texts, given.vectors, read_run_options(given.run), chosen);
  request.tokens = stats.tokens;
  request.truncated = stats.truncated;
}

}  // namespace
}  // namespace headway::c

headway_status headway_embed(const headway_embedder* embedder, headway_embed_request* request,
                             headway_error* error) {
  return headway::c::run_model(embedder, request, error, headway::c::embed);
}
