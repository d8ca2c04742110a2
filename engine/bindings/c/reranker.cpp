// Rerankers.
#include "headway/reranker.hpp"

#include "engine/bindings/c/rerank.hpp"
#include "engine/bindings/c/text_models.hpp"

HEADWAY_C_TEXT_MODEL(reranker, headway::Reranker)

headway_status headway_rerank(const headway_reranker* reranker, headway_rerank_request* request,
                              headway_error* error) {
  return headway::c::run_model(reranker, request, error, headway::c::rerank<headway::Reranker>);
}
