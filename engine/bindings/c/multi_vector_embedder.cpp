// Late interaction: vectors of tokens, and what they make of documents.
#include "headway/multi_vector_embedder.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/checked.hpp"
#include "engine/bindings/c/rerank.hpp"
#include "engine/bindings/c/text_models.hpp"

HEADWAY_C_TEXT_MODEL(multi_vector_embedder, headway::MultiVectorEmbedder)

namespace headway::c {
namespace {

void embed(const MultiVectorEmbedder& embedder, headway_multi_vector_embed_request& request) {
  const headway_multi_vector_embed_request given = read_struct(&request, "request");
  const bool queries = read_flag(given.queries, "request.queries");
  const EmbedOptions chosen = read_prompts(given.prompt, given.prompt_name);
  const std::vector<std::string_view> texts = read_texts(given.texts, given.count, "request.texts");
  not_null(given.offsets, "request.offsets");
  if (given.capacity > 0) not_null(given.vectors, "request.vectors");
  const RunOptions run = read_run_options(given.run);
  const MultiVectors result = queries ? embedder.embed_queries(texts, run, chosen)
                                      : embedder.embed_documents(texts, run, chosen);
  write_outcome(request, result.stats, result.values.size(), given.capacity);
  std::copy(result.offsets.begin(), result.offsets.end(), given.offsets);
  std::copy(result.values.begin(), result.values.end(), given.vectors);
}

std::span<const float> read_vectors(const float* vectors, size_t tokens, int64_t dim,
                                    const char* name) {
  if (tokens > 0) not_null(vectors, name);
  return {vectors, checked_mul(tokens, static_cast<size_t>(dim), name)};
}

void similarity(const MultiVectorEmbedder& embedder,
                headway_multi_vector_similarity_request& request) {
  const headway_multi_vector_similarity_request given = read_struct(&request, "request");
  const int64_t dim = embedder.info().dim;
  request.similarity = embedder.similarity(
      read_vectors(given.query, given.query_tokens, dim, "request.query"),
      read_vectors(given.document, given.document_tokens, dim, "request.document"));
}

}  // namespace
}  // namespace headway::c

headway_status headway_multi_vector_embed(
    const headway_multi_vector_embedder* multi_vector_embedder,
    headway_multi_vector_embed_request* request, headway_error* error) {
  return headway::c::run_model(multi_vector_embedder, request, error, headway::c::embed);
}

headway_status headway_multi_vector_similarity(
    const headway_multi_vector_embedder* multi_vector_embedder,
    headway_multi_vector_similarity_request* request, headway_error* error) {
  return headway::c::run_model(multi_vector_embedder, request, error, headway::c::similarity);
}

headway_status headway_multi_vector_rerank(
    const headway_multi_vector_embedder* multi_vector_embedder, headway_rerank_request* request,
    headway_error* error) {
  return headway::c::run_model(multi_vector_embedder, request, error,
                               headway::c::rerank<headway::MultiVectorEmbedder>);
}
