// Texts to vectors.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "headway/c/base.h"
#include "headway/c/text_model.h"
#include "headway/c/tokenizer.h"

#ifdef __cplusplus
extern "C" {
#endif

// A sentence-transformers model directory: texts to vectors.
typedef struct headway_embedder headway_embedder;

// `options` may be NULL.
HEADWAY_API headway_status headway_embedder_open(const char* directory,
                                                 const headway_options* options,
                                                 headway_embedder** embedder, headway_error* error);
// A handle of its own that shares everything with `embedder`.
HEADWAY_API headway_status headway_embedder_copy(const headway_embedder* embedder,
                                                 headway_embedder** copy, headway_error* error);
// NULL is allowed.
HEADWAY_API void headway_embedder_close(headway_embedder* embedder);
HEADWAY_API headway_status headway_embedder_get_info(const headway_embedder* embedder,
                                                     headway_model_info* info,
                                                     headway_error* error);
HEADWAY_API headway_status headway_embedder_get_memory(const headway_embedder* embedder,
                                                       headway_memory* memory,
                                                       headway_error* error);
// Gives back the working memory that no call uses.
HEADWAY_API headway_status headway_embedder_trim(const headway_embedder* embedder,
                                                 headway_error* error);

// Its tokenizer, as a handle of its own: to be closed, and valid without the embedder.
HEADWAY_API headway_status headway_embedder_get_tokenizer(const headway_embedder* embedder,
                                                          headway_tokenizer** tokenizer,
                                                          headway_error* error);

typedef struct headway_embed_request {
  size_t size;
  const headway_text* texts;       // [count]
  size_t count;                    // may be 0
  float* vectors;                  // [count, dim]
  size_t capacity;                 // of `vectors`, in floats: at least count * dim
  const headway_run_options* run;  // or NULL
  // Results
  int64_t tokens;     // of all texts, special ones included, after cutting
  int64_t truncated;  // texts that were longer than the limit
  // Put before every text; or one of the model's prompts by name; or neither: the default prompt,
  // if the model has one. A NULL `data` means neither; no prompt at all is "" with a length of 0.
  headway_text prompt;
  headway_text prompt_name;
  // Only so many numbers of each vector (Matryoshka), which `capacity` then counts too; 0: `dim`.
  int64_t dimensions;
} headway_embed_request;
HEADWAY_API headway_status headway_embed(const headway_embedder* embedder,
                                         headway_embed_request* request, headway_error* error);

#ifdef __cplusplus
}
#endif
