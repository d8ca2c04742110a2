// The layer MultiHead, on ragged batches.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "headway/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// A multi-head self-attention layer. D = dim, H = heads; weights are [out, in], row-major, as in
// PyTorch. They must stay as they are until the last handle of the layer is closed and its calls
// have ended.
typedef struct headway_multi_head headway_multi_head;

// KV heads of keys and values, KV = H but where options say otherwise; size = D / H.
typedef struct headway_multi_head_weights {
  size_t size;
  int64_t dim;              // D
  const float* qkv_weight;  // [D + 2 KV size, D], usually [3 D, D]
  const float* qkv_bias;    // [D + 2 KV size] or NULL
  const float* out_weight;  // [D, D]
  const float* out_bias;    // [D] or NULL
} headway_multi_head_weights;

// What the options mean is written in attention.hpp.
typedef struct headway_multi_head_options {
  size_t size;
  int64_t heads;                              // H; divides D
  int64_t kv_heads;                           // KV; divides H; 0: as many
  float scale;                                // of q k^T; 0: 1 / sqrt(size)
  float softcap;                              // 0: none
  int32_t causal;                             // 0 or 1
  int32_t has_left_window, has_right_window;  // 1: the next two count
  int64_t left_window, right_window;
  const float* alibi_slopes;        // [alibi_slope_count] or NULL; copied
  size_t alibi_slope_count;         // H, or 0
  const float* relative_bias;       // [relative_bias_heads, relative_bias_distances] or NULL
  int64_t relative_bias_heads;      // H or 1
  int64_t relative_bias_distances;  // odd
} headway_multi_head_options;
// `options` may be NULL.
HEADWAY_API headway_status headway_multi_head_create(const headway_multi_head_weights* weights,
                                                     const headway_multi_head_options* attention,
                                                     const headway_options* options,
                                                     headway_multi_head** layer,
                                                     headway_error* error);
HEADWAY_API headway_status headway_multi_head_copy(const headway_multi_head* layer,
                                                   headway_multi_head** copy, headway_error* error);
// NULL is allowed.
HEADWAY_API void headway_multi_head_close(headway_multi_head* layer);
HEADWAY_API headway_status headway_multi_head_get_memory(const headway_multi_head* layer,
                                                         headway_memory* memory,
                                                         headway_error* error);
HEADWAY_API headway_status headway_multi_head_trim(const headway_multi_head* layer,
                                                   headway_error* error);

// A batch is its tokens packed in rows, sequence after sequence, without padding.
typedef struct headway_multi_head_request {
  size_t size;
  const int64_t* lengths;  // [sequences]: tokens of each
  size_t sequences;
  const float* x;   // [rows, D], rows = the sum of lengths
  size_t x_count;   // floats in `x`: exactly rows * D
  float* y;         // [rows, D]; overlaps neither x nor weights
  size_t capacity;  // of `y`, in floats
  float* weights;   // attention weights, [H, T, T] of each sequence of T tokens; or NULL
  size_t weights_capacity;
  const headway_run_options* run;  // or NULL
} headway_multi_head_request;
HEADWAY_API headway_status headway_multi_head_run(const headway_multi_head* layer,
                                                  const headway_multi_head_request* request,
                                                  headway_error* error);

#ifdef __cplusplus
}
#endif
