// Texts with gaps to the tokens that fill them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "headway/c/base.h"
#include "headway/c/text_model.h"
#include "headway/c/tokenizer.h"

#ifdef __cplusplus
extern "C" {
#endif

// A masked language model: which tokens fill the gaps of texts. What it opens is written in
// masked_lm.hpp.
typedef struct headway_masked_lm headway_masked_lm;
HEADWAY_API headway_status headway_masked_lm_open(const char* directory,
                                                  const headway_options* options,
                                                  headway_masked_lm** masked_lm,
                                                  headway_error* error);
HEADWAY_API headway_status headway_masked_lm_copy(const headway_masked_lm* masked_lm,
                                                  headway_masked_lm** copy, headway_error* error);
HEADWAY_API void headway_masked_lm_close(headway_masked_lm* masked_lm);
HEADWAY_API headway_status headway_masked_lm_get_info(const headway_masked_lm* masked_lm,
                                                      headway_model_info* info,
                                                      headway_error* error);
HEADWAY_API headway_status headway_masked_lm_get_memory(const headway_masked_lm* masked_lm,
                                                        headway_memory* memory,
                                                        headway_error* error);
HEADWAY_API headway_status headway_masked_lm_trim(const headway_masked_lm* masked_lm,
                                                  headway_error* error);
HEADWAY_API headway_status headway_masked_lm_get_tokenizer(const headway_masked_lm* masked_lm,
                                                           headway_tokenizer** tokenizer,
                                                           headway_error* error);

// The token that stands for a gap, "[MASK]". It lives as long as a handle does.
HEADWAY_API headway_status headway_masked_lm_get_mask_token(const headway_masked_lm* masked_lm,
                                                            headway_text* token,
                                                            headway_error* error);

typedef struct headway_fill_mask_request {
  size_t size;
  const headway_text* texts;  // [count], each with a gap at least
  size_t count;               // may be 0
  size_t top_k;               // tokens for each gap; 0: 5
  size_t* offsets;  // [count + 1]: text i has the numbers from offsets[i] up to offsets[i + 1]
  int32_t* ids;     // [capacity]: [gaps, top_k] of each text, the likeliest first
  float* scores;    // [capacity]: their probabilities, 0 to 1
  size_t capacity;
  const headway_run_options* run;  // or NULL
  // Results, `tokens` and `truncated` as of headway_embed_request
  size_t total;  // of numbers; also with HEADWAY_BUFFER_TOO_SMALL, then the capacity needed
  int64_t tokens;
  int64_t truncated;
} headway_fill_mask_request;
HEADWAY_API headway_status headway_fill_mask(const headway_masked_lm* masked_lm,
                                             headway_fill_mask_request* request,
                                             headway_error* error);

#ifdef __cplusplus
}
#endif
