// Texts to labels.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "headway/c/base.h"
#include "headway/c/text_model.h"
#include "headway/c/tokenizer.h"

#ifdef __cplusplus
extern "C" {
#endif

// A model for sequence classification: which labels texts have. What it opens is written in
// classifier.hpp.
typedef struct headway_classifier headway_classifier;
HEADWAY_API headway_status headway_classifier_open(const char* directory,
                                                   const headway_options* options,
                                                   headway_classifier** classifier,
                                                   headway_error* error);
HEADWAY_API headway_status headway_classifier_copy(const headway_classifier* classifier,
                                                   headway_classifier** copy, headway_error* error);
HEADWAY_API void headway_classifier_close(headway_classifier* classifier);
HEADWAY_API headway_status headway_classifier_get_info(const headway_classifier* classifier,
                                                       headway_model_info* info,
                                                       headway_error* error);
HEADWAY_API headway_status headway_classifier_get_memory(const headway_classifier* classifier,
                                                         headway_memory* memory,
                                                         headway_error* error);
HEADWAY_API headway_status headway_classifier_trim(const headway_classifier* classifier,
                                                   headway_error* error);
HEADWAY_API headway_status headway_classifier_get_tokenizer(const headway_classifier* classifier,
                                                            headway_tokenizer** tokenizer,
                                                            headway_error* error);

typedef struct headway_classify_request {
  size_t size;
  const headway_text* texts;       // [count]
  size_t count;                    // may be 0
  float* scores;                   // [count, label_count] of headway_model_info
  size_t capacity;                 // of `scores`, in floats: at least count * label_count
  const headway_run_options* run;  // or NULL
  // Results, as of headway_embed_request
  int64_t tokens;
  int64_t truncated;
} headway_classify_request;
HEADWAY_API headway_status headway_classify(const headway_classifier* classifier,
                                            headway_classify_request* request,
                                            headway_error* error);

#ifdef __cplusplus
}
#endif
