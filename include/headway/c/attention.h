// Attention on arrays in the caller's memory.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "headway/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Attention as a function: softmax of the scores q k^T, times v. What the options mean is written
// in attention.hpp.

// A 4-D float array [B, H, T, size] in the caller's memory, at strides in floats; strides that are
// all 0 mean that it is dense and row-major. The last stride is 1.
typedef struct headway_array {
  const float* data;  // NULL: absent
  int64_t extents[4];
  int64_t strides[4];
} headway_array;
typedef struct headway_output_array {
  float* data;
  int64_t extents[4];
  int64_t strides[4];
} headway_output_array;
// The same of bytes: 0 hides a key.
typedef struct headway_mask {
  const uint8_t* data;
  int64_t extents[4];
  int64_t strides[4];
} headway_mask;

// How far scores have come: q k^T times the scale, after the soft cap, after biases and masks, and
// after the softmax.
enum {
  HEADWAY_SCORES_RAW = 0,
  HEADWAY_SCORES_SOFTCAP = 1,
  HEADWAY_SCORES_BIAS = 2,
  HEADWAY_SCORES_WEIGHTS = 3
};

typedef struct headway_attention_request {
  size_t size;
  headway_array q;           // [B, H, Tq, size]
  headway_array k;           // [B, KV, Tk, size]; KV divides H
  headway_array v;           // [B, KV, Tk, value size]
  headway_output_array out;  // [B, H, Tq, value size]
  float scale;               // 0: 1 / sqrt(size)
  float softcap;             // 0: none
  int32_t causal;            // 0 or 1, as the next
  int32_t bottom_right;
  int32_t has_left_window, has_right_window;  // 1: the next two count
  int64_t left_window, right_window;
  const int64_t* key_lengths;          // [key_length_count] or NULL
  size_t key_length_count;             // B, or 0
  headway_mask mask;                   // [B or 1, H or 1, Tq or 1, P + Tk]
  headway_array bias;                  // the same
  const float* alibi_slopes;           // [alibi_slope_count] or NULL
  size_t alibi_slope_count;            // H, or 0
  const float* relative_bias;          // [relative_bias_heads, relative_bias_distances] or NULL
  int64_t relative_bias_heads;         // H or 1
  int64_t relative_bias_distances;     // odd
  headway_array past_key, past_value;  // [B, KV, P, ...]
  headway_output_array present_key;    // [B, KV, P + Tk, ...]
  headway_output_array present_value;
  headway_output_array scores;  // [B, H, Tq, P + Tk]
  int32_t score_stage;          // HEADWAY_SCORES_RAW, ...
  int32_t threads;              // at most; 0: all cores
  headway_stop* stop;           // or NULL
} headway_attention_request;
HEADWAY_API headway_status headway_attention(const headway_attention_request* request,
                                             headway_error* error);

#ifdef __cplusplus
}
#endif
