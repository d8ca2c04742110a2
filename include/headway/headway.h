// Headway for C, and for every language that calls C.
//
// Statuses: every function that can fail returns one and, if asked, writes what was wrong into the
// caller's headway_error. No exception leaves the library. When a call fails its results are
// unspecified, and handles stay usable.
//
// Structs start with their size, which the caller sets; fields left 0 mean the default:
//
//     headway_embed_request request = {.size = sizeof(request)};
//
// A newer library takes the structs of older headers, with 0 for what they did not have. An older
// library refuses a newer struct only where a field that it does not know is not 0.
//
// Threads: a handle may be used by any number of threads at once, also while one closes it: calls
// that have begun end as if nothing had happened, and later ones are refused with
// HEADWAY_INVALID_ARGUMENT, since handles are numbers that are never given out twice. The last of
// the handles that share something (_copy) and of the calls under way frees it. engine.hpp has the
// whole contract about threads, memory, stopping and fork().
//
// Before 1.0 a minor version may change this interface; the library's name on disk changes with it.
// Patch versions do not.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "headway/export.h"
#include "headway/version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t headway_status;
enum {
  HEADWAY_OK = 0,
  HEADWAY_INVALID_ARGUMENT = 1,  // what was passed cannot be right; the text names it
  HEADWAY_NOT_FOUND = 2,         // a file or a tensor does not exist
  HEADWAY_IO = 3,                // the system refused a read, or a file changed while it was open
  HEADWAY_FORMAT = 4,            // a file is damaged
  HEADWAY_UNSUPPORTED = 5,       // well-formed, but outside what this build or CPU can do
  HEADWAY_LIMIT = 6,             // beyond a limit; the text names needed and allowed
  HEADWAY_BUSY = 7,              // all memory is in use, and the caller asked not to wait
  HEADWAY_CANCELLED = 8,         // headway_stop_request() was called
  HEADWAY_OUT_OF_MEMORY = 9,
  HEADWAY_INTERNAL = 10,         // a defect of Headway or of a library under it
  HEADWAY_BUFFER_TOO_SMALL = 11  // nothing was written; the text names the needed size
};
// "invalid_argument", ...; "unknown" for any other number.
HEADWAY_API const char* headway_status_name(headway_status status);

// Filled by a call that fails; a call that succeeds makes the message empty. May be NULL.
typedef struct headway_error {
  size_t size;
  char message[1016];  // UTF-8, ends in 0; a longer one is cut
} headway_error;

// "0.1.0": of the library, while HEADWAY_VERSION is that of this header.
HEADWAY_API const char* headway_version(void);

typedef struct headway_machine {
  size_t size;
  const char* isa;  // instruction set in use: "avx2", "avx512_bf16", ...; valid for ever
  int32_t cores;    // that this process may use, the default number of threads
} headway_machine;
// Fixes the instruction set if nothing did before. HEADWAY_INVALID_ARGUMENT when HEADWAY_MAX_ISA
// asks for one that does not exist.
HEADWAY_API headway_status headway_get_machine(headway_machine* machine, headway_error* error);

// Ends calls early, from another thread.
typedef struct headway_stop headway_stop;
HEADWAY_API headway_status headway_stop_create(headway_stop** stop, headway_error* error);
// Calls that were given it, and those that will be, end with HEADWAY_CANCELLED.
HEADWAY_API void headway_stop_request(headway_stop* stop);
HEADWAY_API void headway_stop_close(headway_stop* stop);

enum { HEADWAY_F32 = 0, HEADWAY_BF16 = 1, HEADWAY_INT8 = 2 };
enum { HEADWAY_AUTOMATIC = 0, HEADWAY_ACROSS = 1, HEADWAY_INSIDE = 2 };

// What the runs of an engine may use, and how it multiplies.
typedef struct headway_options {
  size_t size;
  int32_t threads;     // of all calls together; 0: all cores that this process may use
  int32_t precision;   // HEADWAY_F32, ...: other than f32 only where the CPU has it
  int64_t max_length;  // tokens of a sequence; an embedder cuts longer texts, a layer refuses them.
                       // 0: the model's own limit, or none
  size_t memory;       // cap in bytes on working memory, weights not counted; 0: none
} headway_options;

// How one call uses its engine.
typedef struct headway_run_options {
  size_t size;
  int32_t threads;     // at most so many; 0: what the engine's limit leaves
  int32_t mode;        // HEADWAY_AUTOMATIC, ...: results are the same bits
  int32_t no_wait;     // 1: HEADWAY_BUSY instead of waiting for memory
  headway_stop* stop;  // or NULL
} headway_run_options;

typedef struct headway_memory {
  size_t size;
  size_t packed_weights;  // bytes
  size_t in_use;          // bytes of working memory held now
  size_t peak;            // the most ever held
} headway_memory;

// Model directories, opened for a task on texts. The kinds of models differ in that task alone: all
// have _open, _copy, _close, _get_info, _get_memory, _trim and _get_tokenizer, as an embedder has.

// Bytes in UTF-8 that need no 0 at their end. Invalid ones count as U+FFFD.
typedef struct headway_text {
  const char* data;  // may be NULL when length is 0
  size_t length;
} headway_text;

// Texts to ids and back; see below.
typedef struct headway_tokenizer headway_tokenizer;

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
} headway_model_info;

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

// Texts to ids and back, as the tokenizer files of a model directory say: a headway_tokenizer.

// A directory with tokenizer.json or vocab.txt, no weights are needed; or a tokenizer.json, which
// is read as it is, without what stands beside it.
HEADWAY_API headway_status headway_tokenizer_open(const char* path, headway_tokenizer** tokenizer,
                                                  headway_error* error);
HEADWAY_API headway_status headway_tokenizer_copy(const headway_tokenizer* tokenizer,
                                                  headway_tokenizer** copy, headway_error* error);
// NULL is allowed.
HEADWAY_API void headway_tokenizer_close(headway_tokenizer* tokenizer);

typedef struct headway_tokenizer_info {
  size_t size;
  int64_t vocabulary;          // one more than the greatest id
  size_t special_tokens;       // around one text
  size_t pair_special_tokens;  // around two
  int64_t max_length;          // `model_max_length` of tokenizer_config.json; 0: none
} headway_tokenizer_info;
HEADWAY_API headway_status headway_tokenizer_get_info(const headway_tokenizer* tokenizer,
                                                      headway_tokenizer_info* info,
                                                      headway_error* error);

// Which text of a pair is cut when both together are too long, and from which end of a text ids are
// dropped.
enum { HEADWAY_LONGEST_FIRST = 0, HEADWAY_ONLY_FIRST = 1, HEADWAY_ONLY_SECOND = 2 };
enum { HEADWAY_MODELS_SIDE = 0, HEADWAY_RIGHT = 1, HEADWAY_LEFT = 2 };

// Bytes of the text, as given, that a token comes from.
typedef struct headway_token_offsets {
  size_t begin, end;
  int32_t text;  // 0: the first text, 1: the second; -1: a special token around them
} headway_token_offsets;

typedef struct headway_tokenize_request {
  size_t size;
  headway_text text;
  const headway_text* second;  // a second text, to encode both as one sequence; or NULL
  size_t max_length;           // ids at most, special ones included; 0: no limit
  int32_t no_special_tokens;   // 1: leave out [CLS] and [SEP]
  int32_t strategy;            // HEADWAY_LONGEST_FIRST, ...
  int32_t side;                // HEADWAY_MODELS_SIDE, ...: what the model's files say, or else
  int32_t* ids;                // [capacity]; may be NULL when that is 0
  int32_t* type_ids;           // [capacity]: the segment of each id; or NULL
  // [capacity] or NULL. Asking for them makes the call several times slower.
  headway_token_offsets* offsets;
  size_t capacity;
  // Results
  size_t count;       // of ids; also with HEADWAY_BUFFER_TOO_SMALL, then the capacity needed
  int32_t truncated;  // 1: there was more than max_length
} headway_tokenize_request;
HEADWAY_API headway_status headway_tokenize(const headway_tokenizer* tokenizer,
                                            headway_tokenize_request* request,
                                            headway_error* error);

typedef struct headway_decode_request {
  size_t size;
  const int32_t* ids;           // [count]
  size_t count;                 // may be 0
  int32_t keep_special_tokens;  // 1: write [CLS] and [SEP] too
  char* text;  // [capacity]: UTF-8 without a 0 at its end; may be NULL when that is 0
  size_t capacity;
  // Result
  size_t length;  // of the text in bytes; also with HEADWAY_BUFFER_TOO_SMALL
} headway_decode_request;
HEADWAY_API headway_status headway_decode(const headway_tokenizer* tokenizer,
                                          headway_decode_request* request, headway_error* error);

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
