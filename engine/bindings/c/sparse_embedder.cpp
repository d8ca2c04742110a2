// Sparse vectors, in CSR form.
#include "headway/sparse_embedder.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/bindings/c/text_models.hpp"

HEADWAY_C_TEXT_MODEL(sparse_embedder, headway::SparseEmbedder)

namespace headway::c {
namespace {

void write_vectors(const std::vector<SparseVector>& vectors,
                   const headway_sparse_embed_request& given) {
  size_t written = 0;
  for (size_t i = 0; i < vectors.size(); ++i) {
    given.offsets[i] = written;
    std::copy(vectors[i].tokens.begin(), vectors[i].tokens.end(), given.ids + written);
    std::copy(vectors[i].weights.begin(), vectors[i].weights.end(), given.weights + written);
    written += vectors[i].tokens.size();
  }
  given.offsets[vectors.size()] = written;
}

void embed(const SparseEmbedder& embedder, headway_sparse_embed_request& request) {
  const headway_sparse_embed_request given = read_struct(&request, "request");
  const EmbedOptions chosen = read_prompts(given.prompt, given.prompt_name);
  const std::vector<std::string_view> texts = read_texts(given.texts, given.count, "request.texts");
  not_null(given.offsets, "request.offsets");
  if (given.capacity > 0) {
    not_null(given.ids, "request.ids");
    not_null(given.weights, "request.weights");
  }
  const SparseEmbeddings result = embedder.embed(texts, read_run_options(given.run), chosen);
  size_t total = 0;
  for (const SparseVector& vector : result.vectors) total += vector.tokens.size();
  write_outcome(request, result.stats, total, given.capacity);
  write_vectors(result.vectors, given);
}

}  // namespace
}  // namespace headway::c

headway_status headway_sparse_embed(const headway_sparse_embedder* sparse_embedder,
                                    headway_sparse_embed_request* request, headway_error* error) {
  return headway::c::run_model(sparse_embedder, request, error, headway::c::embed);
}
