// Texts to ids and back.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "headway/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Texts to ids and back, as the tokenizer files of a model directory say.
typedef struct headway_tokenizer headway_tokenizer;

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
  // A text that is longer than max_length in windows, one after the other: the first is what there
  // is without, each further one shares `stride` ids with the one before.
  size_t stride;
  size_t* window_counts;  // [window_capacity]: the ids of each; or NULL, for the first alone
  size_t window_capacity;
  int32_t encode_special_tokens;  // 1: special tokens that stand in the text are text
  size_t windows;  // result; also with HEADWAY_BUFFER_TOO_SMALL, if window_capacity is too small
} headway_tokenize_request;
HEADWAY_API headway_status headway_tokenize(const headway_tokenizer* tokenizer,
                                            headway_tokenize_request* request,
                                            headway_error* error);

// -1: no such token.
HEADWAY_API headway_status headway_token_to_id(const headway_tokenizer* tokenizer,
                                               headway_text token, int32_t* id,
                                               headway_error* error);
// The text lives as long as a handle of the tokenizer; NULL: no token has the id.
HEADWAY_API headway_status headway_id_to_token(const headway_tokenizer* tokenizer, int32_t id,
                                               headway_text* token, headway_error* error);

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

#ifdef __cplusplus
}
#endif
