// Ranking documents, for all models that score them.
#pragma once

#include <string_view>
#include <vector>

#include "engine/bindings/c/text_models.hpp"
#include "headway/reranker.hpp"

namespace headway::c {

template <typename Model>
void rerank(const Model& model, headway_rerank_request& request) {
  const headway_rerank_request given = read_struct(&request, "request");
  const std::string_view query = read_text(given.query, "request.query");
  if (given.capacity < given.count)
    throw BufferTooSmall{"request.capacity", given.count, given.capacity};
  const std::vector<std::string_view> documents =
      read_texts(given.documents, given.count, "request.documents");
  if (given.count > 0) not_null(given.scores, "request.scores");
  const EmbedStats stats = model.score(query, documents, given.scores, read_run_options(given.run));
  if (given.ranking) {
    size_t* next = given.ranking;
    for (const RankedDocument& document : rank({given.scores, given.count}))
      *next++ = document.index;
  }
  request.tokens = stats.tokens;
  request.truncated = stats.truncated;
}

}  // namespace headway::c
