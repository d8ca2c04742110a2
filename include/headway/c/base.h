// What all of the C interface shares: statuses, errors, options, texts.
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

// Bytes in UTF-8 that need no 0 at their end. Invalid ones count as U+FFFD.
typedef struct headway_text {
  const char* data;  // may be NULL when length is 0
  size_t length;
} headway_text;

#ifdef __cplusplus
}
#endif
