// Texts to sparse vectors.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "headway/c/base.h"
#include "headway/c/text_model.h"
#include "headway/c/tokenizer.h"

#ifdef __cplusplus
extern "C" {
#endif

// A model for sparse vectors over the vocabulary (SPLADE). What it opens is written in
// sparse_embedder.hpp.
typedef struct headway_sparse_embedder headway_sparse_embedder;
HEADWAY_API headway_status headway_sparse_embedder_open(const char* directory,
                                                        const headway_options* options,
                                                        headway_sparse_embedder** sparse_embedder,
                                                        headway_error* error);
HEADWAY_API headway_status
headway_sparse_embedder_copy(const headway_sparse_embedder* sparse_embedder,
                             headway_sparse_embedder** copy, headway_error* error);
HEADWAY_API void headway_sparse_embedder_close(headway_sparse_embedder* sparse_embedder);
HEADWAY_API headway_status headway_sparse_embedder_get_info(
    const headway_sparse_embedder* sparse_embedder, headway_model_info* info, headway_error* error);
HEADWAY_API headway_status headway_sparse_embedder_get_memory(
    const headway_sparse_embedder* sparse_embedder, headway_memory* memory, headway_error* error);
HEADWAY_API headway_status
headway_sparse_embedder_trim(const headway_sparse_embedder* sparse_embedder, headway_error* error);
HEADWAY_API headway_status
headway_sparse_embedder_get_tokenizer(const headway_sparse_embedder* sparse_embedder,
                                      headway_tokenizer** tokenizer, headway_error* error);

// The numbers above 0 of all vectors, one vector after the other (the form CSR of sparse matrices).
typedef struct headway_sparse_embed_request {
  size_t size;
  const headway_text* texts;  // [count]
  size_t count;               // may be 0
  headway_text prompt;        // as of headway_embed_request
  headway_text prompt_name;
  size_t* offsets;  // [count + 1]: vector i has the numbers from offsets[i] up to offsets[i + 1]
  int32_t* ids;     // [capacity]: of the tokens they stand for, ascending in a vector
  float* weights;   // [capacity]: the numbers
  size_t capacity;  // count * dim is always enough
  const headway_run_options* run;  // or NULL
  // Results, `tokens` and `truncated` as of headway_embed_request
  size_t total;  // of numbers; also with HEADWAY_BUFFER_TOO_SMALL, then the capacity needed
  int64_t tokens;
  int64_t truncated;
} headway_sparse_embed_request;
HEADWAY_API headway_status headway_sparse_embed(const headway_sparse_embedder* sparse_embedder,
                                                headway_sparse_embed_request* request,
                                                headway_error* error);

#ifdef __cplusplus
}
#endif
