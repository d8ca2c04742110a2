// Texts to a vector for each token.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "headway/c/base.h"
#include "headway/c/reranker.h"
#include "headway/c/text_model.h"
#include "headway/c/tokenizer.h"

#ifdef __cplusplus
extern "C" {
#endif

// A model for late interaction (ColBERT). What it opens is written in multi_vector_embedder.hpp.
typedef struct headway_multi_vector_embedder headway_multi_vector_embedder;
HEADWAY_API headway_status headway_multi_vector_embedder_open(
    const char* directory, const headway_options* options,
    headway_multi_vector_embedder** multi_vector_embedder, headway_error* error);
HEADWAY_API headway_status
headway_multi_vector_embedder_copy(const headway_multi_vector_embedder* multi_vector_embedder,
                                   headway_multi_vector_embedder** copy, headway_error* error);
HEADWAY_API void headway_multi_vector_embedder_close(
    headway_multi_vector_embedder* multi_vector_embedder);
HEADWAY_API headway_status
headway_multi_vector_embedder_get_info(const headway_multi_vector_embedder* multi_vector_embedder,
                                       headway_model_info* info, headway_error* error);
HEADWAY_API headway_status
headway_multi_vector_embedder_get_memory(const headway_multi_vector_embedder* multi_vector_embedder,
                                         headway_memory* memory, headway_error* error);
HEADWAY_API headway_status headway_multi_vector_embedder_trim(
    const headway_multi_vector_embedder* multi_vector_embedder, headway_error* error);
HEADWAY_API headway_status headway_multi_vector_embedder_get_tokenizer(
    const headway_multi_vector_embedder* multi_vector_embedder, headway_tokenizer** tokenizer,
    headway_error* error);

typedef struct headway_multi_vector_embed_request {
  size_t size;
  const headway_text* texts;  // [count]
  size_t count;               // may be 0
  int32_t queries;            // 1: the texts are queries; 0: they are documents
  headway_text prompt;  // as of headway_embed_request; by default that named after what they are
  headway_text prompt_name;
  size_t* offsets;  // [count + 1]: text i has the rows from offsets[i] up to offsets[i + 1]
  float* vectors;   // [rows of all texts, dim]; may be NULL when capacity is 0
  size_t capacity;  // of `vectors`, in floats
  const headway_run_options* run;  // or NULL
  // Results, `tokens` and `truncated` as of headway_embed_request
  size_t total;  // of floats; also with HEADWAY_BUFFER_TOO_SMALL, then the capacity needed
  int64_t tokens;
  int64_t truncated;
} headway_multi_vector_embed_request;
HEADWAY_API headway_status
headway_multi_vector_embed(const headway_multi_vector_embedder* multi_vector_embedder,
                           headway_multi_vector_embed_request* request, headway_error* error);

// MaxSim of vectors that were embedded.
typedef struct headway_multi_vector_similarity_request {
  size_t size;
  const float* query;  // [query_tokens, dim]
  size_t query_tokens;
  const float* document;  // [document_tokens, dim]
  size_t document_tokens;
  // Result
  float similarity;
} headway_multi_vector_similarity_request;
HEADWAY_API headway_status headway_multi_vector_similarity(
    const headway_multi_vector_embedder* multi_vector_embedder,
    headway_multi_vector_similarity_request* request, headway_error* error);

// As headway_rerank; the scores are similarities, `tokens` and `truncated` those of the documents.
HEADWAY_API headway_status
headway_multi_vector_rerank(const headway_multi_vector_embedder* multi_vector_embedder,
                            headway_rerank_request* request, headway_error* error);

#ifdef __cplusplus
}
#endif
