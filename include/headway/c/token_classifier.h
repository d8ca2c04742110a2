// Texts to entities in them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "headway/c/base.h"
#include "headway/c/text_model.h"
#include "headway/c/tokenizer.h"

#ifdef __cplusplus
extern "C" {
#endif

// A model for token classification: which stretches of texts have which labels. What it opens is
// written in token_classifier.hpp.
typedef struct headway_token_classifier headway_token_classifier;
HEADWAY_API headway_status
headway_token_classifier_open(const char* directory, const headway_options* options,
                              headway_token_classifier** token_classifier, headway_error* error);
HEADWAY_API headway_status
headway_token_classifier_copy(const headway_token_classifier* token_classifier,
                              headway_token_classifier** copy, headway_error* error);
HEADWAY_API void headway_token_classifier_close(headway_token_classifier* token_classifier);
HEADWAY_API headway_status
headway_token_classifier_get_info(const headway_token_classifier* token_classifier,
                                  headway_model_info* info, headway_error* error);
HEADWAY_API headway_status headway_token_classifier_get_memory(
    const headway_token_classifier* token_classifier, headway_memory* memory, headway_error* error);
HEADWAY_API headway_status headway_token_classifier_trim(
    const headway_token_classifier* token_classifier, headway_error* error);
HEADWAY_API headway_status
headway_token_classifier_get_tokenizer(const headway_token_classifier* token_classifier,
                                       headway_tokenizer** tokenizer, headway_error* error);

// How the labels of tokens become entities; token_classifier.hpp says what each means.
enum {
  HEADWAY_AGGREGATE_NONE = 0,
  HEADWAY_AGGREGATE_SIMPLE = 1,
  HEADWAY_AGGREGATE_FIRST = 2,
  HEADWAY_AGGREGATE_AVERAGE = 3,
  HEADWAY_AGGREGATE_MAX = 4
};

typedef struct headway_entity {
  const char* label;  // lives as long as a handle does
  float score;        // probability, 0 to 1
  size_t begin, end;  // bytes of the text
} headway_entity;

typedef struct headway_tag_request {
  size_t size;
  const headway_text* texts;  // [count]
  size_t count;               // may be 0
  int32_t aggregation;        // HEADWAY_AGGREGATE_NONE, ...
  // [ignored_label_count]: labels of entities to leave out; NULL: "O" alone
  const headway_text* ignored_labels;
  size_t ignored_label_count;
  size_t* offsets;  // [count + 1]: text i has the entities from offsets[i] up to offsets[i + 1]
  headway_entity* entities;  // [capacity]; may be NULL when that is 0
  size_t capacity;
  const headway_run_options* run;  // or NULL
  // Results, `tokens` and `truncated` as of headway_embed_request
  size_t total;  // of entities; also with HEADWAY_BUFFER_TOO_SMALL, then the capacity needed
  int64_t tokens;
  int64_t truncated;
} headway_tag_request;
HEADWAY_API headway_status headway_tag(const headway_token_classifier* token_classifier,
                                       headway_tag_request* request, headway_error* error);

#ifdef __cplusplus
}
#endif
