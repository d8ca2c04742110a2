// What all models on texts have in common.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "headway/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Model directories, opened for a task on texts. The kinds of models differ in that task alone: all
// have _open, _copy, _close, _get_info, _get_memory, _trim and _get_tokenizer, as an embedder has.

typedef struct headway_model_info {
  size_t size;
  int64_t dim;  // numbers of one vector; of a classifier, its labels
  int64_t layers, heads, vocabulary, parameters;
  int64_t max_length;           // tokens of a text, the limit in force
  const char* max_length_from;  // where it comes from. The texts live as long as a handle does
  const char* architecture;     // "bert"
  const char* pooling;          // "mean", "cls + max"
  int32_t normalize;            // 1: vectors have length 1
  const char* const* labels;    // [label_count], in the order of scores, as long as a handle lives
  size_t label_count;           // of classifiers and rerankers, else 0
  const char* activation;       // what makes scores of logits: "sigmoid", "softmax", "identity"
  const char* weights;          // their types in the files: "f32", "f16 + bf16"
  const char* tokenizer;        // its model: "WordPiece", "BPE", "Unigram"
  const char* default_prompt_name;  // of the prompt that is used where none is chosen; may be ""
} headway_model_info;

#ifdef __cplusplus
}
#endif
