// Which documents answer a query.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "headway/c/base.h"
#include "headway/c/text_model.h"
#include "headway/c/tokenizer.h"

#ifdef __cplusplus
extern "C" {
#endif

// A cross-encoder: which documents answer a query. What it opens is written in reranker.hpp.
typedef struct headway_reranker headway_reranker;
HEADWAY_API headway_status headway_reranker_open(const char* directory,
                                                 const headway_options* options,
                                                 headway_reranker** reranker, headway_error* error);
HEADWAY_API headway_status headway_reranker_copy(const headway_reranker* reranker,
                                                 headway_reranker** copy, headway_error* error);
HEADWAY_API void headway_reranker_close(headway_reranker* reranker);
HEADWAY_API headway_status headway_reranker_get_info(const headway_reranker* reranker,
                                                     headway_model_info* info,
                                                     headway_error* error);
HEADWAY_API headway_status headway_reranker_get_memory(const headway_reranker* reranker,
                                                       headway_memory* memory,
                                                       headway_error* error);
HEADWAY_API headway_status headway_reranker_trim(const headway_reranker* reranker,
                                                 headway_error* error);
HEADWAY_API headway_status headway_reranker_get_tokenizer(const headway_reranker* reranker,
                                                          headway_tokenizer** tokenizer,
                                                          headway_error* error);

typedef struct headway_rerank_request {
  size_t size;
  headway_text query;
  const headway_text* documents;   // [count]
  size_t count;                    // may be 0
  float* scores;                   // [capacity]: of each document
  size_t* ranking;                 // [capacity]: indices of documents, the best first; or NULL
  size_t capacity;                 // at least count
  const headway_run_options* run;  // or NULL
  // Results
  int64_t tokens;     // of all pairs, special ones included, after cutting
  int64_t truncated;  // pairs that were longer than the limit
} headway_rerank_request;
HEADWAY_API headway_status headway_rerank(const headway_reranker* reranker,
                                          headway_rerank_request* request, headway_error* error);

#ifdef __cplusplus
}
#endif
