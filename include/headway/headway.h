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

#include "headway/c/attention.h"
#include "headway/c/base.h"
#include "headway/c/classifier.h"
#include "headway/c/embedder.h"
#include "headway/c/masked_lm.h"
#include "headway/c/multi_head.h"
#include "headway/c/multi_vector_embedder.h"
#include "headway/c/reranker.h"
#include "headway/c/sparse_embedder.h"
#include "headway/c/text_model.h"
#include "headway/c/token_classifier.h"
#include "headway/c/tokenizer.h"
#include "headway/version.h"
